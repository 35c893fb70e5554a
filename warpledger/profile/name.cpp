// Names as ncu shows them.
#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>

#include "warpledger/profile/profile.h"

namespace warpledger::profile {
namespace {

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

/// The parameters between the outermost parentheses of "f<a, b>(c, d)".
std::string with_parameters(const std::string& name) {
  const size_t open = name.find('(');
  if (open == std::string::npos || name.back() != ')') return name;
  std::string text = name.substr(0, open + 1), parameter;
  int depth = 0;
  for (size_t i = open + 1; i + 1 < name.size(); ++i) {
    const char c = name[i];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      text += as_ncu_spells(parameter) + ", ";
      parameter.clear();
      ++i;  // the space
    } else {
      parameter += c;
    }
  }
  return text + as_ncu_spells(parameter) + ")";
}

}  // namespace

std::string shown_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;  // the demangler takes "f" for the type float
  int status = 0;
  char* plain = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && plain ? plain : mangled;
  std::free(plain);
  // Templates have their result in front: "void f<int>(...)".
  return with_parameters(name);
}

std::string to_text(const SourceLine& line) {
  return line.line ? fmt::format("{}:{}", line.file, line.line) : std::string();
}

}  // namespace warpledger::profile
