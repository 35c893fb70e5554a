#include "warpledger/base/number.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpledger {

std::string group_thousands(std::string_view decimal) {
  const size_t first = decimal.starts_with('-') ? 1 : 0;
  const size_t point = std::min(decimal.find('.'), decimal.size());
  std::string grouped(decimal.substr(0, first));
  for (size_t i = first; i < point; ++i) {
    if (i > first && (point - i) % 3 == 0) grouped += ',';
    grouped += decimal[i];
  }
  return grouped + std::string(decimal.substr(point));
}

std::string group_thousands(int64_t n) { return group_thousands(std::to_string(n)); }

std::string ncu_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  if (text == "-0") text = "0";
  return group_thousands(text);
}

}  // namespace warpledger
