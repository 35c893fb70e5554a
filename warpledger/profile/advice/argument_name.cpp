#include "warpledger/profile/advice/argument_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "warpledger/base/file.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/user_line.h"

namespace warpledger::profile {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Comments become blanks; lines stay where they are.
std::string without_comments(std::string_view source) {
  std::string text(source);
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool line = text[i] == '/' && text[i + 1] == '/';
    const bool block = text[i] == '/' && text[i + 1] == '*';
    if (!line && !block) continue;
    const size_t found = text.find(line ? "\n" : "*/", i + (block ? 2 : 0));
    const size_t end = found == std::string::npos ? text.size() : found + (block ? 2 : 0);
    for (; i < end; ++i) text[i] = text[i] == '\n' ? '\n' : ' ';
  }
  return text;
}

/// "const float* __restrict__ A[]" -> "A"; "" for a type alone.
std::string name_in(std::string_view parameter) {
  parameter = parameter.substr(0, parameter.find_first_of("=["));
  while (!parameter.empty() && !is_word(parameter.back())) parameter.remove_suffix(1);
  size_t begin = parameter.size();
  while (begin > 0 && is_word(parameter[begin - 1])) --begin;
  const bool has_type =
      std::any_of(parameter.begin(), parameter.begin() + static_cast<long>(begin), is_word);
  return has_type ? std::string(parameter.substr(begin)) : "";
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i == list.size() ? ',' : list[i];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    names.push_back(name_in(list.substr(begin, i - begin)));
    if (names.back().empty()) return {};
    begin = i + 1;
  }
  return names;
}

/// Where the parenthesis closes that opens at `open`; npos when it does not.
size_t closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

/// "void ns::k<int>(const float *)" -> "k"
std::string plain_name(const std::string& mangled) {
  std::string name = shown_name(mangled);
  if (name == mangled) return name;
  name = name.substr(0, name.find_first_of("<("));
  return name.substr(name.find_last_of(": ") + 1);
}

std::vector<std::string> names_from_source(const ptx::Module& module, const ptx::Function& kernel) {
  for (const ptx::SourceLocation& location : kernel.locations) {
    const std::string_view path = module.file_name(location.at.file);
    if (location.is_inlined || location.at.line == 0 || ptx::is_toolkit_header(path)) continue;
    const Result<std::string> text = read_file(std::string(path));
    if (!text) return {};
    return declared_names(*text, plain_name(std::string(kernel.name)), location.at.line);
  }
  return {};
}

/// nvcc writes "<kernel>_param_0", people write "<kernel>_x" or "x".
std::string name_in_ptx(std::string_view parameter, std::string_view kernel) {
  if (parameter.starts_with(kernel)) {
    parameter.remove_prefix(kernel.size());
    while (parameter.starts_with('_')) parameter.remove_prefix(1);
  }
  const bool is_number = parameter.starts_with("param_") || parameter.empty();
  return is_number ? "" : std::string(parameter);
}

/// 1st, 2nd, 3rd, 4th, 11th, 21st.
std::string ordinal(size_t number) {
  constexpr std::string_view kEndings = "thstndrd";
  const bool is_teen = number / 10 % 10 == 1;
  const size_t last = number % 10;
  return fmt::format("{}{}", number, kEndings.substr(is_teen || last > 3 ? 0 : 2 * last, 2));
}

}  // namespace

std::vector<std::string> declared_names(std::string_view source, std::string_view name,
                                        uint32_t line) {
  const std::string text = without_comments(source);
  std::vector<std::string> names;
  if (name.empty()) return names;
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t after = text.find_first_not_of(" \t\r\n", at + name.size());
    const bool whole = (at == 0 || !is_word(text[at - 1])) && after != std::string::npos;
    if (!whole || text[after] != '(') continue;
    const size_t statement = text.find_last_of(";}", at);
    const size_t begin = statement == std::string::npos ? 0 : statement;
    if (text.substr(begin, at - begin).find("__global__") == std::string::npos) continue;
    const auto place = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    const size_t end = closing(text, after);
    if (place > line || end == std::string::npos) break;
    names = names_in(std::string_view(text).substr(after + 1, end - after - 1));
  }
  return names;
}

std::vector<std::string> argument_names(const ptx::Module& module, const ptx::Function& kernel) {
  const auto& parameters = kernel.signature.params;
  std::vector<std::string> names = names_from_source(module, kernel);
  if (names.size() == parameters.size()) return names;
  const std::vector<std::string> types = parameter_types(std::string(kernel.name));
  names.clear();
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string name = name_in_ptx(module.variables[parameters[i]].name, kernel.name);
    if (name.empty()) {
      name = ordinal(i + 1) + " argument";
      if (types.size() == parameters.size()) name += fmt::format(" ({})", types[i]);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace warpledger::profile
