// Names as ncu shows them, and as a line has room for them.
#include <cxxabi.h>
#include <fmt/core.h>

#include <cstdlib>

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {
namespace {

constexpr size_t kLong = 100;  // characters of a heading's name

/// "float const*" -> "const float *": the demangler and ncu spell parameters differently.
std::string as_ncu_spells(std::string parameter) {
  const std::string suffix = " const";
  std::string stars;
  while (!parameter.empty() && (parameter.back() == '*' || parameter.back() == '&')) {
    stars.insert(stars.begin(), parameter.back());
    parameter.pop_back();
  }
  if (parameter.ends_with(suffix)) {
    parameter = "const " + parameter.substr(0, parameter.size() - suffix.size());
  }
  return stars.empty() ? parameter : parameter + " " + stars;
}

/// Where the last parentheses of "(anonymous namespace)::f<a, b>(c, d)" open; npos without.
size_t parameters_at(const std::string& name) {
  if (name.empty() || name.back() != ')') return std::string::npos;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string::npos;
}

/// The parts of "c, d<e, f>" between commas that no bracket holds.
std::vector<std::string> split_parameters(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (!part.empty() || c != ' ') {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

std::optional<std::string> demangle(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return {};  // the demangler takes "f" for the type float
  int status = 0;
  char* plain = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::optional<std::string> name;
  if (status == 0 && plain != nullptr) name = plain;
  std::free(plain);
  return name;
}

/// "_ZN7cutlass6KernelINS_..." -> "cutlass::Kernel<...>(...)": what stands before the first thing
/// that is not a plain name.
std::string readable_prefix(std::string_view mangled) {
  std::string name;
  mangled.remove_prefix(std::min<size_t>(mangled.size(), mangled.starts_with("_ZN") ? 3 : 2));
  while (!mangled.empty() && mangled.front() >= '1' && mangled.front() <= '9') {
    size_t length = 0, digits = 0;
    for (; digits < mangled.size() && mangled[digits] >= '0' && mangled[digits] <= '9'; ++digits) {
      length = std::min<size_t>(10 * length + static_cast<size_t>(mangled[digits] - '0'),
                                mangled.size());
    }
    if (digits + length > mangled.size()) break;
    name += (name.empty() ? "" : "::") + std::string(mangled.substr(digits, length));
    mangled.remove_prefix(digits + length);
  }
  if (name.empty()) return "";
  return name + (mangled.starts_with('I') ? "<...>" : "") + "(...)";
}

/// "f<a<b>, c>(d)" -> "f<...>(d)"
std::string without_template_arguments(const std::string& name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    if (c == '>' && depth > 0 && --depth == 0) text += "...";
    if (depth == 0) text += c;
    depth += c == '<' ? 1 : 0;
  }
  return depth == 0 ? text : name;
}

std::string cut(std::string text) {
  if (text.size() > kLong) text = text.substr(0, kLong - 3) + "...";
  return text;
}

}  // namespace

std::string shown_name(const std::string& mangled) {
  const std::optional<std::string> plain = demangle(mangled);
  const std::string name = plain.value_or(mangled);
  const size_t open = plain ? parameters_at(name) : std::string::npos;
  if (open == std::string::npos) return name;
  std::string text;
  for (std::string& one : split_parameters(name.substr(open + 1, name.size() - open - 2))) {
    text += (text.empty() ? "" : ", ") + as_ncu_spells(std::move(one));
  }
  // Templates have their result in front: "void f<int>(...)".
  return name.substr(0, open + 1) + text + ")";
}

std::string short_name(const std::string& mangled) {
  std::string name = shown_name(mangled);
  if (name.size() <= kLong) return name;
  if (name == mangled && mangled.starts_with("_Z")) {
    const std::string readable = readable_prefix(mangled);
    return cut(readable.empty() ? mangled : readable);
  }
  const size_t open = parameters_at(name);
  std::string head = without_template_arguments(name.substr(0, open));
  const std::string tail =
      open == std::string::npos ? "" : without_template_arguments(name.substr(open));
  if (head.size() + tail.size() <= kLong) return head + tail;
  return cut(tail.empty() ? head : head + "(...)");
}

std::vector<std::string> parameter_types(const std::string& mangled) {
  const std::string name = shown_name(mangled);
  const size_t open = parameters_at(name);
  if (open == std::string::npos) return {};
  return split_parameters(name.substr(open + 1, name.size() - open - 2));
}

std::string to_text(const SourceLine& line) {
  return line.line ? fmt::format("{}:{}", line.file, line.line) : std::string();
}

}  // namespace warpledger::profile
