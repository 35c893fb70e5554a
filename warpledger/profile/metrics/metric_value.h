// A metric's value: a number or words, how far it can be trusted, and its band.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "warpledger/base/table.h"

namespace warpledger::profile {

/// A metric's value; std::monostate: not modeled yet. `low` and `high` are the band over the
/// orders of the profile, set when there are several and they differ.
struct Value {
  RawValue raw = {};
  Fidelity fidelity = Fidelity::kModeled;
  std::optional<double> low = {}, high = {};

  [[nodiscard]] bool is_known() const { return !std::holds_alternative<std::monostate>(raw); }
  [[nodiscard]] std::optional<double> number() const;
  friend bool operator==(const Value&, const Value&) = default;
};

[[nodiscard]] Value exact(uint64_t n);
[[nodiscard]] Value modeled(uint64_t n);
[[nodiscard]] Value ratio(double numerator, double denominator, Fidelity fidelity);
[[nodiscard]] Value words(std::string text, Fidelity fidelity);
[[nodiscard]] inline Value not_modeled() { return {}; }

}  // namespace warpledger::profile
