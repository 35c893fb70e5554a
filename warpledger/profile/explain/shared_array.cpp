// Declarations of shared memory, read from the source as far as two rules go: `__shared__ TYPE
// NAME[...]...[SIZE]` in one line, of a type whose size C++ or CUDA fixes.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "warpledger/profile/explain/shared_padding.h"

namespace warpledger::profile {
namespace {

const std::map<std::string, uint64_t> kTypeBytes = {
    {"char", 1},     {"int8_t", 1},   {"uint8_t", 1},  {"half", 2},          {"__half", 2},
    {"short", 2},    {"int16_t", 2},  {"uint16_t", 2}, {"__nv_bfloat16", 2}, {"float", 4},
    {"int", 4},      {"unsigned", 4}, {"int32_t", 4},  {"uint32_t", 4},      {"half2", 4},
    {"__half2", 4},  {"double", 8},   {"float2", 8},   {"int2", 8},          {"int64_t", 8},
    {"uint64_t", 8}, {"float4", 16},  {"int4", 16},    {"double2", 16},
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

/// The number that is written there; 0 for anything else.
uint64_t number_in(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() <= 6 &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_number ? std::stoull(text) : 0;
}

/// The word that ends before `end`, with the spaces behind it.
std::string word_before(const std::string& line, size_t end) {
  while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  size_t begin = end;
  while (begin > 0 && is_name(line[begin - 1])) --begin;
  return line.substr(begin, end - begin);
}

/// The names that are indexed: "out[i] = tile[x][y];" has out and tile.
std::vector<std::string> indexed_names(const std::string& line) {
  std::vector<std::string> names;
  for (size_t open = line.find('['); open != std::string::npos; open = line.find('[', open + 1)) {
    size_t begin = open;
    while (begin > 0 && is_name(line[begin - 1])) --begin;
    if (begin < open) names.push_back(line.substr(begin, open - begin));
  }
  return names;
}

/// Where `name[` begins in a declaration of shared memory; npos: it does not.
size_t declared_at(const std::string& line, const std::string& name) {
  if (line.find("__shared__") == std::string::npos) return std::string::npos;
  for (size_t at = line.find(name + "["); at != std::string::npos;
       at = line.find(name + "[", at + 1)) {
    if (at > 0 && !is_name(line[at - 1])) return at;
  }
  return std::string::npos;
}

std::optional<SharedArray> read_declaration(const std::string& text, const std::string& name) {
  const std::string line = trimmed(text);
  const size_t at = declared_at(line, name);
  if (at == std::string::npos) return {};
  const auto type = kTypeBytes.find(word_before(line, at));
  size_t open = line.find('[', at), close = line.find(']', at), dimensions = 1;
  while (close != std::string::npos && close + 1 < line.size() && line[close + 1] == '[') {
    open = close + 1;
    close = line.find(']', open);
    ++dimensions;
  }
  if (type == kTypeBytes.end() || dimensions < 2 || close == std::string::npos) return {};
  SharedArray array{.declaration = line.substr(0, line.find(';', close)) + ";",
                    .row_begin = open + 1,
                    .row_end = close,
                    .element_bytes = type->second};
  array.row_bytes =
      number_in(trimmed(line.substr(open + 1, close - open - 1))) * array.element_bytes;
  return array;
}

}  // namespace

std::string SharedArray::padded(uint64_t elements) const {
  const std::string size = trimmed(declaration.substr(row_begin, row_end - row_begin));
  const uint64_t number = number_in(size);
  const std::string wider =
      number != 0 ? std::to_string(number + elements) : fmt::format("{} + {}", size, elements);
  return declaration.substr(0, row_begin) + wider + declaration.substr(row_end);
}

std::optional<SharedArray> shared_array_at(const std::vector<std::string>& lines, uint32_t line) {
  if (line == 0 || line > lines.size()) return {};
  const std::vector<std::string> names = indexed_names(lines[line - 1]);
  for (size_t above = line - 1; above-- > 0;) {
    for (const std::string& name : names) {
      if (declared_at(lines[above], name) == std::string::npos) continue;
      return read_declaration(lines[above], name);
    }
  }
  return {};
}

}  // namespace warpledger::profile
