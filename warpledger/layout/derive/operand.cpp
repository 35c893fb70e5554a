#include "warpledger/layout/derive/operand.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpledger::derive {

int bank_offset(const std::string& operand) {
  const size_t second = operand.find('[', operand.find('[') + 1);
  if (second == std::string::npos) return -1;
  const long offset = std::strtol(operand.c_str() + second + 1, nullptr, 16);
  return offset >= 0 && offset < 0x10000 ? static_cast<int>(offset) : -1;
}

int register_number(const std::string& operand) {
  const size_t digits = operand.find_first_of("0123456789");
  if (digits == std::string::npos) return 255;
  const long number = std::strtol(operand.c_str() + digits, nullptr, 10);
  return number < 255 ? static_cast<int>(number) : 255;
}

bool is_register(const std::string& operand) { return operand.starts_with("R"); }
bool is_uniform(const std::string& operand) { return operand.starts_with("UR"); }
bool is_predicate(const std::string& operand) {
  const size_t at = operand.starts_with("!") ? 1 : 0;
  return operand.substr(at, 1) == "P" || operand.substr(at, 2) == "UP";
}

uint32_t half_bits(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  const double size = std::abs(value);
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (size == 0 || !(size < 65536)) return sign;
  const int exponent = std::max(std::ilogb(size), -14);
  const auto fraction = static_cast<uint32_t>(std::lround(std::ldexp(size, 10 - exponent)));
  return sign + (static_cast<uint32_t>(exponent + 14) << 10) + fraction;
}

std::pair<std::string, int64_t> address_parts(const std::string& operand) {
  const size_t open = operand.rfind('[');
  std::string inner = operand.substr(open + 1, operand.size() - open - 2);
  const size_t plus = inner.find('+');
  constexpr long long kFar = 1LL << 32;  // beyond what the machine accepts
  const int64_t offset =
      plus == std::string::npos
          ? 0
          : std::clamp(std::strtoll(inner.c_str() + plus + 1, nullptr, 16), -kFar, kFar);
  return {inner.substr(0, std::min(inner.find('.'), plus)), offset};
}

}  // namespace warpledger::derive
