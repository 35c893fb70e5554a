#include "warpledger/profile/limits/report.h"

#include <fmt/core.h>

#include <cmath>

#include "warpledger/profile/value/source_path.h"

namespace warpledger::profile::budget {
namespace {

/// XML 1.0 has no place for most control characters, however they are written.
std::string xml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += code < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return result;
}

/// GitHub's own escapes; a property's value may hold neither ':' nor ','.
std::string github(const std::string& text, bool is_property) {
  std::string result;
  for (const char c : text) {
    const bool escaped =
        c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    result += escaped ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string breach_text(const Checked& one) {
  const Judgment& judgment = one.judgment;
  std::string text =
      fmt::format("{}:{}: {}: {}\n  {}: {}\n", one.limit_at.file, one.limit_at.line,
                  to_text(judgment.state), judgment.limit, one.launch, sentence_of(judgment));
  for (const Culprit& culprit : judgment.culprits) text += "  " + to_text(culprit) + "\n";
  return text;
}

Cell number_cell(double value, const Judgment& judgment) {
  if (judgment.state == State::kUnknown) return {};
  const bool whole = std::floor(value) == value && std::abs(value) < 9e15;
  if (whole) return {number_text(value), static_cast<int64_t>(value), judgment.fidelity};
  return {number_text(value), value, judgment.fidelity};
}

std::string junit_case(const Checked& one) {
  const Judgment& judgment = one.judgment;
  const std::string head = fmt::format(
      "    <testcase classname=\"{}\" name=\"{} [{}]\" file=\"{}\" line=\"{}\"", xml(one.budget),
      xml(judgment.limit), xml(one.launch), xml(one.limit_at.file), one.limit_at.line);
  if (judgment.state == State::kKept) return head + "/>\n";
  const char* tag = judgment.state == State::kBroken ? "failure" : "error";
  return fmt::format("{}>\n      <{} message=\"{}\">{}</{}>\n    </testcase>\n", head, tag,
                     xml(sentence_of(judgment)), xml(breach_text(one)), tag);
}

}  // namespace

Count count(const std::vector<Checked>& all) {
  Count result;
  for (const Checked& one : all) {
    const State state = one.judgment.state;
    ++(state == State::kKept     ? result.kept
       : state == State::kBroken ? result.broken
                                 : result.unknown);
  }
  return result;
}

std::string headline(const std::vector<Checked>& all) {
  const Count counted = count(all);
  std::string text = fmt::format("{} limit{}: {} kept, {} broken", all.size(),
                                 all.size() == 1 ? "" : "s", counted.kept, counted.broken);
  if (counted.unknown > 0) text += fmt::format(", {} unknown", counted.unknown);
  return text;
}

std::string breaches(const std::vector<Checked>& all) {
  std::string text;
  for (const Checked& one : all) {
    if (one.judgment.is_broken()) text += breach_text(one) + "\n";
  }
  return text;
}

Table table_of(const std::vector<Checked>& all) {
  Table table{.columns = {{"Budget", "budget"},
                          {"Launch", "launch"},
                          {"Limit", "limit"},
                          {"", "state"},
                          {"Value", "value", Align::kRight},
                          {"Bound", "bound", Align::kRight},
                          {"Where", "where"}}};
  for (const Checked& one : all) {
    const Judgment& judgment = one.judgment;
    const std::string where =
        judgment.culprits.empty() ? "" : to_text(judgment.culprits.front().where);
    table.rows.push_back(
        {{one.budget, one.launch, judgment.limit, std::string(to_text(judgment.state)),
          number_cell(judgment.value, judgment), number_cell(judgment.bound, judgment), where}});
  }
  return table;
}

std::string to_junit(const std::vector<Checked>& all, const std::string& title) {
  const Count total = count(all);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n",
      xml(title), all.size(), total.broken, total.unknown);
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end].budget == all[i].budget) ++end;
    const std::vector<Checked> suite(all.begin() + static_cast<ptrdiff_t>(i),
                                     all.begin() + static_cast<ptrdiff_t>(end));
    const Count counted = count(suite);
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
                        xml(suite.front().budget), suite.size(), counted.broken, counted.unknown);
    for (const Checked& one : suite) text += junit_case(one);
    text += "  </testsuite>\n";
    i = end;
  }
  return text + "</testsuites>\n";
}

std::string to_github(const std::vector<Checked>& all) {
  std::string text;
  for (const Checked& one : all) {
    const Judgment& judgment = one.judgment;
    if (!judgment.is_broken()) continue;
    std::string file = one.limit_at.file;
    int line = one.limit_at.line;
    if (!judgment.culprits.empty()) {
      const SourceLine& where = judgment.culprits.front().where;
      if (const std::string path = source_path(one.kernel_file, where); !path.empty()) {
        file = path;
        line = static_cast<int>(where.line);
      }
    }
    text += fmt::format("::error file={},line={},title={}::{}\n", github(file, true), line,
                        github(judgment.limit, true),
                        github(one.launch + ": " + sentence_of(judgment), false));
  }
  return text;
}

}  // namespace warpledger::profile::budget
