// How far a number can be trusted. Every number a user sees carries one of these.
#pragma once

#include <optional>
#include <string_view>

namespace warpledger {

enum class Fidelity {
  kExact,      // follows from the input alone: addresses, shapes, launch, a compiler's output
  kModeled,    // depends on order or on a fitted constant
  kMeasured,   // read from hardware: an imported report, this machine's ceilings
  kPublished,  // a constant with a public source
  kAssumed,    // a constant without one
};

[[nodiscard]] std::string_view to_text(Fidelity fidelity);
[[nodiscard]] std::optional<Fidelity> parse_fidelity(std::string_view word);

/// The fidelity of something computed from both: the one that promises less.
[[nodiscard]] Fidelity weakest(Fidelity a, Fidelity b);

}  // namespace warpledger
