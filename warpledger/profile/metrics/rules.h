// The rule behind each metric and where the rule comes from: rows of docs/memory-model.md, word by
// word; a test finds each of them there.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpledger::profile {

struct Rule {
  std::string_view section;  // of docs/memory-model.md, as a link names it: "the-l1"
  std::string_view text;
  std::string_view source;    // "": it needs none, or the section says it
  std::string_view patterns;  // of metrics, "*" for anything, a space between them
};

/// The first whose patterns match is a metric's.
[[nodiscard]] std::span<const Rule> rules();

/// Null for a name that no metric has. A test walks the catalog.
[[nodiscard]] const Rule* find_rule(const std::string& metric);

/// Without Markdown: links and code as words.
[[nodiscard]] std::string plain(std::string_view markdown);

}  // namespace warpledger::profile
