#include "warpledger/ledger/json.h"

#include <gtest/gtest.h>

#include "tests/unit/ledger/samples.h"

namespace warpledger {
namespace {

Result<Ledger> read(const std::string& text) { return ledger_from_json(Source("a.json", text)); }

const Ledger kSmall = {
    .title = "small",
    .rows = {{"LDS", "K", {Level::kDram, Level::kSmem}, 16384, Expression::size("N") / 64}}};

/// The JSON of kSmall with one piece of its text exchanged.
std::string spoilt(const std::string& from, const std::string& to) {
  std::string text = to_json(kSmall);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string fault(const std::string& from, const std::string& to) {
  const Result<Ledger> result = read(spoilt(from, to));
  return result ? "read without complaint" : result.error().message;
}

LAW(LedgerJson, ReadsBackToAnEqualValue) {
  const Ledger ledger = testing::any_ledger(rng);
  const std::string text = to_json(ledger);
  const Result<Ledger> again = read(text);
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(*again, ledger);
  EXPECT_EQ(to_json(*again), text);
}

TEST(LedgerJson, CarriesIntegersAndFormulas) {
  EXPECT_EQ(to_json(kSmall), R"({
  "schema_version": 1,
  "title": "small",
  "provenance": {},
  "rows": [
    {
      "operation": "LDS",
      "subject": "K",
      "from": "dram",
      "to": "smem",
      "bytes_per_iteration": 16384,
      "iterations": "N/64",
      "total_bytes": "256*N",
      "fidelity": "exact"
    }
  ],
  "totals": [
    {
      "from": "dram",
      "to": "smem",
      "total_bytes": "256*N",
      "fidelity": "exact"
    }
  ]
}
)");
}

TEST(LedgerJson, CarriesIntegersBeyond64Bits) {
  Ledger ledger = kSmall;
  ledger.rows[0].iterations = Expression(10).pow(30);
  EXPECT_EQ(*read(to_json(ledger)), ledger);
}

TEST(LedgerJson, PointsAtBrokenText) {
  EXPECT_EQ(to_text(read("{\n  \"rows\": [,]\n}").error()).substr(0, 45),
            "a.json:2:12: error: not JSON: syntax error wh");
  EXPECT_EQ(read("").error().code, "bad-json");
  EXPECT_EQ(read("\"\xff\"").error().code, "bad-json");
}

TEST(LedgerJson, PointsAtANumberThatNoDoubleHolds) {
  EXPECT_EQ(to_text(read("{\n  \"rows\": 2e2222\n}").error()).substr(0, 65),
            "a.json:2:11: error: not JSON: number overflow parsing '2e2222' [b");
}

TEST(LedgerJson, NamesThePathOfAFault) {
  EXPECT_EQ(fault("\"smem\"", "\"sram\""), "a.json: rows[0].to: unknown value 'sram'");
  EXPECT_EQ(fault("\"exact\"", "\"sure\""), "a.json: rows[0].fidelity: unknown value 'sure'");
  EXPECT_EQ(
      fault("16384", "16384.5"),
      "a.json: rows[0].bytes_per_iteration: expected a whole number or an expression in a string");
  EXPECT_EQ(fault("\"subject\"", "\"subjects\""), "a.json: rows[0].subject: this field is missing");
  EXPECT_EQ(fault("\"fidelity\"", "\"extra\": 1, \"fidelity\""),
            "a.json: rows[0].extra: unknown field");
  EXPECT_EQ(fault("\"title\"", "\"color\": 1, \"title\""), "a.json: color: unknown field");
  EXPECT_EQ(fault("\"small\"", "[]"), "a.json: title: expected a string");
  EXPECT_EQ(fault("{}", "[]"), "a.json: provenance: expected an object");
  EXPECT_EQ(read("[1]").error().message, "a.json: expected an object");
  EXPECT_EQ(read("{}").error().message, "a.json: rows: this field is missing");
}

TEST(LedgerJson, PointsIntoABrokenFormula) {
  EXPECT_EQ(to_text(read(spoilt("\"N/64\"", "\"N/*64\"")).error()),
            "a.json: rows[0].iterations:1:3: error: expected a number, a size or '(' "
            "[bad-expression]\n    N/*64\n      ^\n");
}

TEST(LedgerJson, RefusesAnotherSchema) {
  EXPECT_EQ(fault("\"schema_version\": 1", "\"schema_version\": 2"),
            "a.json: schema_version is 2, this warpledger reads 1");
}

TEST(LedgerJson, RefusesTotalsThatDoNotReconcile) {
  EXPECT_EQ(fault("256*N", "255*N"),
            "a.json: rows[0].total_bytes: says 255*N, the rows give 256*N");
  std::string text = to_json(kSmall);
  text.replace(text.rfind("256*N"), 5, "257*N");
  EXPECT_EQ(read(text).error().code, "totals-do-not-reconcile");
}

}  // namespace
}  // namespace warpledger
