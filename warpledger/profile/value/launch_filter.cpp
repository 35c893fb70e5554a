#include "warpledger/profile/value/launch_filter.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {
namespace {

constexpr std::string_view kRegex = "regex:";

/// The place of the bracket that the one at the end of `text` closes; npos when there is none.
size_t opening(std::string_view text, char open, char close) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    depth += text[i] == close ? 1 : text[i] == open ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string_view without_last(std::string_view text, char open, char close) {
  if (text.empty() || text.back() != close) return text;
  const size_t at = opening(text, open, close);
  return at == std::string_view::npos ? text : text.substr(0, at);
}

}  // namespace

struct KernelPattern::Expression {
  explicit Expression(const std::string& text) : regex(text, re2::RE2::Quiet) {}
  re2::RE2 regex;
};

std::optional<NameBase> parse_name_base(std::string_view word) {
  if (word == "function") return NameBase::kFunction;
  if (word == "demangled") return NameBase::kDemangled;
  if (word == "mangled") return NameBase::kMangled;
  return {};
}

std::string function_name(const std::string& mangled) {
  const std::string shown = shown_name(mangled);
  const std::string_view path = without_last(without_last(shown, '(', ')'), '<', '>');
  const size_t before = path.find_last_of(" :>)");
  const std::string_view name = before == std::string_view::npos ? path : path.substr(before + 1);
  return name.empty() ? shown : std::string(name);
}

std::string name_of(const std::string& mangled, NameBase base) {
  switch (base) {
    case NameBase::kFunction:
      return function_name(mangled);
    case NameBase::kDemangled:
      return shown_name(mangled);
    case NameBase::kMangled:
      break;
  }
  return mangled;
}

Result<KernelPattern> KernelPattern::parse(const std::string& text, NameBase base) {
  KernelPattern pattern;
  pattern.text_ = text;
  pattern.base_ = base;
  if (!text.starts_with(kRegex)) return pattern;
  const auto bad = [&](const std::string& why) {
    return Diagnostic{.message = fmt::format("'{}' is not a regular expression: {}", text, why),
                      .hint = "e.g. regex:^matmul_(naive|tiled)$",
                      .code = "bad-regex"};
  };
  if (text.size() - kRegex.size() > kLongest) return bad("it is too long");
  pattern.expression_ = std::make_shared<const Expression>(text.substr(kRegex.size()));
  if (!pattern.expression_->regex.ok()) return bad(pattern.expression_->regex.error());
  return pattern;
}

bool KernelPattern::matches(const std::string& mangled) const {
  const std::string name = name_of(mangled, base_);
  return expression_ ? re2::RE2::PartialMatch(name, expression_->regex) : name == text_;
}

bool LaunchFilter::wants(const std::string& mangled) {
  if (seen_++ < selection_.skip_before_match || is_done()) return false;
  if (selection_.kernel && !selection_.kernel->matches(mangled)) return false;
  if (matched_++ < selection_.skip) return false;
  ++wanted_;
  return true;
}

}  // namespace warpledger::profile
