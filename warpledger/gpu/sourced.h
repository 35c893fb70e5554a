// A number of a GPU file together with how far it can be trusted and who says so.
#pragma once

#include <optional>
#include <string>

#include "warpledger/base/fidelity.h"

namespace warpledger {

template <class T>
struct Sourced {
  T value = {};
  Fidelity fidelity = Fidelity::kAssumed;
  std::string source = {};
  friend bool operator==(const Sourced&, const Sourced&) = default;
};

/// Absent: unknown for this GPU, or not a property it has.
template <class T>
using Fact = std::optional<Sourced<T>>;

}  // namespace warpledger
