#include "interpose/nvtx_filter.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::cuda {
namespace {

using profile::KernelPattern;
using profile::NameBase;

constexpr std::string_view kRegex = "regex:";
constexpr std::string_view kQuantifiers = "@,[]/*+$\\";

Diagnostic bad(const std::string& text, const char* why) {
  return {
      .message = fmt::format("'{}' is not an NVTX filter: {}", text, why),
      .hint = "\"A/\" is a push/pop range, \"A\" a start/end range, \"Domain@A/\" one of a domain",
      .code = "bad-nvtx-filter"};
}

/// Cut at the separators that no backslash is before.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      parts.back() += text[i++];
      parts.back() += text[i];
    } else if (text[i] == separator) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

/// A backslash before a quantifier is ncu's; in an expression only before what separates names.
std::string unescaped(const std::string& text, bool is_regex) {
  const std::string_view heeded = is_regex ? "@,/" : kQuantifiers;
  std::string made;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && i + 1 < text.size() &&
                         heeded.find(text[i + 1]) != std::string_view::npos;
    made += text[escapes ? ++i : i];
  }
  return made;
}

Result<KernelPattern> name_pattern(const std::string& text, bool is_regex) {
  return KernelPattern::parse((is_regex ? std::string(kRegex) : "") + unescaped(text, is_regex),
                              NameBase::kMangled);
}

/// The marks of the stack's ends, taken off. In an expression "/[" and "/]" are brackets of it.
struct Ends {
  bool outermost = false, innermost = false;
};
Ends take_ends(std::string& ranges, bool is_regex) {
  Ends ends;
  if (is_regex && ranges.starts_with("/[")) {
    ranges.erase(0, 1);
  } else if (ranges.starts_with('[')) {
    ends.outermost = true;
    ranges.erase(0, 1);
  }
  if (is_regex && ranges.ends_with("/]")) {
    ranges.erase(ranges.size() - 2, 1);
  } else if (ranges.ends_with(']') && !ranges.ends_with("\\]")) {
    ends.innermost = true;
    ranges.pop_back();
  }
  return ends;
}

}  // namespace

Result<NvtxFilter> NvtxFilter::parse(const std::string& text) {
  const bool is_regex = text.starts_with(kRegex);
  const std::vector<std::string> sides = split(is_regex ? text.substr(kRegex.size()) : text, '@');
  if (sides.size() > 2) return bad(text, "it names several domains");
  NvtxFilter filter;
  WL_TRY(filter.domain_,
         name_pattern(sides.size() == 2 ? sides[0] : "", is_regex && sides.size() == 2));
  std::string ranges = sides.back();
  const Ends ends = take_ends(ranges, is_regex);
  filter.from_outermost_ = ends.outermost;
  filter.to_innermost_ = ends.innermost;
  std::vector<std::string> names = split(ranges, '/');
  filter.is_stack_ = names.size() > 1 || ends.outermost || ends.innermost;
  if (!filter.is_stack_) names = split(ranges, ',');
  if (filter.is_stack_ && names.size() > 1 && names.back().empty()) names.pop_back();
  for (const std::string& name : names) {
    if (name.empty()) return bad(text, "a range has no name");
    Part part{.step = !filter.is_stack_ ? Step::kName
                      : name == "+"     ? Step::kOne
                      : name == "*"     ? Step::kAny
                                        : Step::kName};
    if (part.step == Step::kName) {
      WL_TRY(part.name, name_pattern(name, is_regex));
    }
    filter.parts_.push_back(std::move(part));
  }
  return filter;
}

bool NvtxFilter::matches(const OpenDomains& open) const {
  return std::ranges::any_of(open, [&](const auto& one) {
    const auto& [name, ranges] = one;
    if (!domain_.matches(name)) return false;
    return is_stack_ ? matches_stack(ranges.pushed) : matches_set(ranges.started);
  });
}

bool NvtxFilter::matches_stack(const std::vector<std::string>& stack) const {
  const size_t last = from_outermost_ ? 0 : stack.size();
  for (size_t first = 0; first <= last; ++first) {
    if (matches_at(stack, first, 0)) return true;
  }
  return false;
}

bool NvtxFilter::matches_at(const std::vector<std::string>& stack, size_t at, size_t part) const {
  if (part == parts_.size()) return !to_innermost_ || at == stack.size();
  const Part& wanted = parts_[part];
  if (wanted.step == Step::kAny && matches_at(stack, at, part + 1)) return true;
  if (at == stack.size()) return false;
  if (wanted.step == Step::kAny) return matches_at(stack, at + 1, part);
  if (wanted.step == Step::kName && !wanted.name.matches(stack[at])) return false;
  return matches_at(stack, at + 1, part + 1);
}

bool NvtxFilter::matches_set(const std::vector<std::string>& started) const {
  return std::ranges::all_of(parts_, [&](const Part& part) {
    return std::ranges::any_of(started, [&](const auto& name) { return part.name.matches(name); });
  });
}

}  // namespace warpledger::cuda
