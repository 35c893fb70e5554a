#include "warpledger/profile/metrics/metric_value.h"

namespace warpledger::profile {

std::optional<double> Value::number() const {
  if (const auto* n = std::get_if<int64_t>(&raw)) return static_cast<double>(*n);
  if (const auto* x = std::get_if<double>(&raw)) return *x;
  return {};
}

Value exact(uint64_t n) { return {.raw = static_cast<int64_t>(n), .fidelity = Fidelity::kExact}; }
Value modeled(uint64_t n) {
  return {.raw = static_cast<int64_t>(n), .fidelity = Fidelity::kModeled};
}
Value ratio(double numerator, double denominator, Fidelity fidelity) {
  return {.raw = denominator == 0 ? 0.0 : numerator / denominator, .fidelity = fidelity};
}
Value words(std::string text, Fidelity fidelity) {
  return {.raw = std::move(text), .fidelity = fidelity};
}

}  // namespace warpledger::profile
