#include "warpledger/layout/notation/scanner.h"

#include <fmt/core.h>

namespace warpledger::notation {
namespace {

constexpr int64_t kLargest = int64_t{1} << 40;

}  // namespace

Result<int64_t> Scanner::number() {
  skip_blanks();
  const uint32_t begin = position();
  if (peek() == '_') skip();
  const bool hex = rest().starts_with("0x");
  if (hex) skip(2);
  const uint32_t digits = position();
  const std::optional<int64_t> value = take_number<int64_t>(hex ? 16 : 10);
  const bool is_large = value ? *value > kLargest : position() > digits;
  if (value && *value >= 0 && !is_large) return *value;
  move_to(begin);
  return error(is_large ? "number too large" : "expected a number");
}

std::string Scanner::name() {
  skip_blanks();
  if (peek() == '_' || !is_letter(peek())) return {};
  return std::string(take_while(is_word));
}

Status check_outputs(const Scanner& scan, size_t outputs) {
  if (outputs <= kMaxOutputs) return {};
  return scan.error(fmt::format("more than {} output dimensions", kMaxOutputs));
}

}  // namespace warpledger::notation
