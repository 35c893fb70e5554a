#include "warpledger/sass/code.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "warpledger/base/scanner.h"

namespace warpledger::sass {
namespace {

/// The text between the address comment "/*0010*/" and ';', or "" for any other line.
std::string_view instruction_text(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("/*")) return {};
  const size_t close = line.find("*/");
  const size_t end = line.find(';');
  if (close == std::string_view::npos || end == std::string_view::npos || end < close) return {};
  return trimmed(line.substr(close + 2, end - close - 2));
}

/// "/*01f0*/ ..." -> 0x1f0.
uint64_t address_of(std::string_view line) {
  uint64_t address = 0;
  const std::string_view digits = trimmed(line).substr(2);
  std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  return address;
}

/// Labels of one section and the branches that name them.
class Labels {
 public:
  void define(std::string_view name, uint64_t address) { addresses_[std::string(name)] = address; }
  void resolve(Function& function) {
    for (Instruction& instruction : function.instructions) {
      if (instruction.operands.empty()) continue;
      std::string_view last = instruction.operands.back();
      const size_t open = last.find("`(");
      if (open == std::string_view::npos || !last.ends_with(')')) continue;
      last = last.substr(open + 2, last.size() - open - 3);
      const auto found = addresses_.find(last);
      if (found != addresses_.end()) instruction.target = found->second;
    }
    addresses_.clear();
  }

 private:
  std::map<std::string, uint64_t, std::less<>> addresses_;
};

bool is_label(std::string_view line) {
  return line.size() > 1 && line.ends_with(':') && line.find(' ') == std::string_view::npos &&
         !line.starts_with("/");
}

}  // namespace

std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> operands;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && at < text.size())) continue;
    const std::string_view operand = trimmed(text.substr(begin, at - begin));
    if (!operand.empty()) operands.emplace_back(operand);
    begin = at + 1;
  }
  return operands;
}

std::optional<uint64_t> read_address(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  if (text.empty() || fault != std::errc() || stop != end) return {};
  return value;
}

std::optional<GroupWait> group_wait_of(const Instruction& instruction) {
  const std::vector<std::string>& operands = instruction.operands;
  if (instruction.base() != "DEPBAR" || operands.size() < 2) return {};
  if (operands[0].size() != 3 || !operands[0].starts_with("SB")) return {};
  const auto left = read_address(operands[1]);
  if (!left) return {};
  return GroupWait{static_cast<uint8_t>(operands[0][2] - '0'), static_cast<uint8_t>(*left)};
}

Control read_control(uint64_t upper) {
  const auto bits = [upper](unsigned first, unsigned count) {
    return static_cast<uint8_t>(upper >> (first - 64) & ((1U << count) - 1));
  };
  return {.stall = bits(105, 4),
          .sets = bits(110, 3),
          .reads = bits(113, 3),
          .waits = bits(116, 6),
          .reuse = bits(122, 4),
          .keeps = bits(109, 1) != 0};
}

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
    text = trimmed(text.substr(blank));
  }
  const size_t blank = std::min(text.find(' '), text.size());
  instruction.opcode = text.substr(0, blank);
  instruction.operands = split_operands(text.substr(blank));
  return instruction;
}

Result<std::vector<Function>> read_listing(std::string_view listing) {
  std::vector<Function> functions;
  std::vector<std::string_view> waiting;  // labels whose address the next instruction tells
  Labels labels;
  while (!listing.empty()) {
    const size_t newline = std::min(listing.find('\n'), listing.size());
    const std::string_view line = trimmed(listing.substr(0, newline));
    listing.remove_prefix(std::min(newline + 1, listing.size()));
    if (line.starts_with(".text.") && line.ends_with(':')) {
      if (!functions.empty()) labels.resolve(functions.back());
      waiting.clear();
      functions.push_back({std::string(line.substr(6, line.size() - 7)), {}});
      continue;
    }
    if (is_label(line)) waiting.push_back(line.substr(0, line.size() - 1));
    const std::string_view text = instruction_text(line);
    if (text.empty() || functions.empty()) continue;
    Instruction instruction = read_instruction(text);
    instruction.address = address_of(line);
    for (const std::string_view label : waiting) labels.define(label, instruction.address);
    waiting.clear();
    functions.back().instructions.push_back(std::move(instruction));
  }
  if (functions.empty()) {
    return Diagnostic{.message = "the listing contains no function", .code = "bad-listing"};
  }
  labels.resolve(functions.back());
  return functions;
}

}  // namespace warpledger::sass
