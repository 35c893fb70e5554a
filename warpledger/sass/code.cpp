#include "warpledger/sass/code.h"

namespace warpledger::sass {
namespace {

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Commas inside brackets belong to one operand.
std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> operands;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && at < text.size())) continue;
    const std::string_view operand = trim(text.substr(begin, at - begin));
    if (!operand.empty()) operands.emplace_back(operand);
    begin = at + 1;
  }
  return operands;
}

/// The text between the address comment "/*0010*/" and ';', or "" for any other line.
std::string_view instruction_text(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("/*")) return {};
  const size_t close = line.find("*/");
  const size_t end = line.find(';');
  if (close == std::string_view::npos || end == std::string_view::npos || end < close) return {};
  return trim(line.substr(close + 2, end - close - 2));
}

}  // namespace

bool Instruction::has(std::string_view modifier) const {
  for (size_t dot = opcode.find('.'); dot != std::string::npos; dot = opcode.find('.', dot + 1)) {
    const size_t end = std::min(opcode.find('.', dot + 1), opcode.size());
    if (std::string_view(opcode).substr(dot + 1, end - dot - 1) == modifier) return true;
  }
  return false;
}

Instruction read_instruction(std::string_view text) {
  Instruction instruction;
  if (text.starts_with('@')) {
    const size_t blank = std::min(text.find(' '), text.size());
    instruction.predicate = text.substr(0, blank);
    text = trim(text.substr(blank));
  }
  const size_t blank = std::min(text.find(' '), text.size());
  instruction.opcode = text.substr(0, blank);
  instruction.operands = split_operands(text.substr(blank));
  return instruction;
}

Result<std::vector<Function>> read_listing(std::string_view listing) {
  std::vector<Function> functions;
  while (!listing.empty()) {
    const size_t newline = std::min(listing.find('\n'), listing.size());
    const std::string_view line = trim(listing.substr(0, newline));
    listing.remove_prefix(std::min(newline + 1, listing.size()));
    if (line.starts_with(".text.") && line.ends_with(':')) {
      functions.push_back({std::string(line.substr(6, line.size() - 7)), {}});
      continue;
    }
    const std::string_view text = instruction_text(line);
    if (!text.empty() && !functions.empty()) {
      functions.back().instructions.push_back(read_instruction(text));
    }
  }
  if (functions.empty()) {
    return Diagnostic{.message = "the listing holds no function", .code = "bad-listing"};
  }
  return functions;
}

}  // namespace warpledger::sass
