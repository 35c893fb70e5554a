// Every opcode spelling of tiers i and ii: hand-derived cases, and that each one is run.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "gmock/gmock.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/opcode_cases.h"
#include "tests/unit/exec/semantics/spellings.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec {
namespace {

using ptx::OperandClass;

struct Case {
  std::string line, spelling;
  std::vector<std::string> operands;
  uint64_t expected = 0;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::istringstream lines(kOpcodeCases);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    std::istringstream words(line);
    Case one{.line = line};
    words >> one.spelling;
    std::string word;
    while (words >> word && word != "=") one.operands.push_back(word);
    words >> word;
    one.expected = std::stoull(word, nullptr, 16);
    cases.push_back(one);
  }
  return cases;
}

/// The register that holds operand `n` of the case, by size: %p, %h, %r, %rd.
struct Register {
  int bits;
  int number;
  [[nodiscard]] std::string text() const {
    return (bits == 1    ? "%p"
            : bits == 16 ? "%h"
            : bits == 32 ? "%r"
                         : "%rd") +
           std::to_string(number);
  }
};
Register register_for(const ptx::Spelling& spelling, size_t operand) {
  const ptx::OperandShape& shape = spelling.form->operands[operand];
  if (shape.operand == OperandClass::kPredicate) return {1, static_cast<int>(operand)};
  int bits = ptx::bits(ptx::operand_type(spelling, shape));
  if (bits == 1) return {1, static_cast<int>(operand)};
  if (shape.operand == OperandClass::kSelected) bits = 32;
  return {bits <= 16 ? 16 : bits <= 32 ? 32 : 64, static_cast<int>(operand)};
}

std::string set_register(const Register& reg, const std::string& value) {
  if (reg.bits == 1) return fmt::format("setp.ne.u32 {}, 0x{}, 0;\n", reg.text(), value);
  return fmt::format("mov.b{} {}, 0x{};\n", reg.bits, reg.text(), value);
}

std::string widen(const Register& reg) {
  if (reg.bits == 1) return fmt::format("selp.u64 %rd9, 1, 0, {};\n", reg.text());
  if (reg.bits == 64) return fmt::format("mov.b64 %rd9, {};\n", reg.text());
  return fmt::format("cvt.u64.u{} %rd9, {};\n", reg.bits, reg.text());
}

TEST(Opcode, HandDerivedCases) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 250u);
  std::string body =
      ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<12>;\nld.param.u64 "
      "%rd10, [p0];\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    ptx::SpellingFault fault;
    const auto spelling = ptx::decode_spelling(cases[i].spelling, fault);
    ASSERT_TRUE(spelling) << cases[i].line << ": " << fault.message;
    std::string call = cases[i].spelling + " " + register_for(*spelling, 0).text();
    for (size_t k = 0; k < cases[i].operands.size(); ++k) {
      const std::string& value = cases[i].operands[k];
      if (value[0] == '#') {
        call += ", 0x" + value.substr(1);
        continue;
      }
      const Register reg = register_for(*spelling, k + 1);
      body += set_register(reg, value);
      call += ", " + reg.text();
    }
    body += call + ";\n" + widen(register_for(*spelling, 0)) +
            fmt::format("st.global.u64 [%rd10+{}], %rd9;\n", 8 * i);
  }
  TestMachine machine(kernel_text(body + "ret;", 1, "sm_90", "8.6"));
  const uint64_t out = machine.put(std::vector<uint64_t>(cases.size()));
  ASSERT_EQ(machine.run({.kernel = "k", .params = TestMachine::pack(out)}), "");
  const auto got = machine.get<uint64_t>(out, cases.size());
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(got[i], cases[i].expected) << cases[i].line << " gave " << std::hex << got[i];
}

TEST(Opcode, EverySpellingOfTiersOneAndTwoIsRun) {
  int runs = 0;
  std::vector<std::string> missing;
  for (const ptx::Form& form : ptx::forms()) {
    if (!is_run(form.row->tier)) continue;
    for (const std::string& text : spellings_of(form)) {
      ptx::SpellingFault fault;
      const auto spelling = ptx::decode_spelling(text, fault);
      if (!spelling || spelling->tier() != form.row->tier) continue;
      ++runs;
      if (reference::select(*spelling) == nullptr) missing.push_back(text);
    }
  }
  EXPECT_GE(runs, 800);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(Opcode, EveryFormOfAPureOpcodeHasAHandDerivedCase) {
  std::set<const ptx::Form*> cased;
  for (const Case& one : read_cases()) {
    ptx::SpellingFault fault;
    if (const auto spelling = ptx::decode_spelling(one.spelling, fault))
      cased.insert(spelling->form);
  }
  std::vector<std::string> missing;
  for (const ptx::Form& form : ptx::forms()) {
    const bool pure =
        std::find(std::begin(kPureOps), std::end(kPureOps), form.row->op) != std::end(kPureOps);
    const bool carries = form.row->pattern.find(".cc") != std::string_view::npos;
    if (is_run(form.row->tier) && pure && !carries && !cased.contains(&form))
      missing.emplace_back(form.row->pattern);
  }
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

// A new opcode of tiers i and ii belongs into one of the lists of spellings.h, whose test then runs
// every spelling of it.
TEST(Opcode, EveryOpcodeOfTiersOneAndTwoHasATestOfItsSpellings) {
  std::map<Op, int> tests;
  for (const std::span<const Op> list :
       {std::span<const Op>(kPureOps), std::span<const Op>(kLoadStoreOps),
        std::span<const Op>(kAtomicOps), std::span<const Op>(kExchangeOps),
        std::span<const Op>(kProgramOps), std::span<const Op>(kMatrixOps),
        std::span<const Op>(kTextureOps)}) {
    for (const Op op : list) ++tests[op];
  }
  for (const ptx::FormRow& row : ptx::form_rows()) {
    if (!is_run(row.tier)) continue;
    EXPECT_EQ(tests[row.op], 1) << row.pattern;
  }
}

}  // namespace
}  // namespace warpledger::exec
