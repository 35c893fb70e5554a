#include "warpledger/base/fidelity.h"

#include <array>
#include <utility>

namespace warpledger {
namespace {

// `weakness` orders the promises: computing from two numbers can promise no more than the weaker
// one.
struct Name {
  Fidelity fidelity;
  std::string_view word;
  int weakness;
};
constexpr std::array kNames{
    Name{Fidelity::kExact, "exact", 0}, Name{Fidelity::kModeled, "modeled", 3},
    Name{Fidelity::kMeasured, "measured", 1}, Name{Fidelity::kPublished, "published", 2},
    Name{Fidelity::kAssumed, "assumed", 4}};

const Name& name_of(Fidelity fidelity) { return kNames[static_cast<size_t>(fidelity)]; }

}  // namespace

std::string_view to_text(Fidelity fidelity) { return name_of(fidelity).word; }

std::optional<Fidelity> parse_fidelity(std::string_view word) {
  for (const Name& name : kNames) {
    if (name.word == word) return name.fidelity;
  }
  return std::nullopt;
}

Fidelity weakest(Fidelity a, Fidelity b) {
  return name_of(a).weakness >= name_of(b).weakness ? a : b;
}

}  // namespace warpledger
