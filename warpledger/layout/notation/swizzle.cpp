#include "warpledger/layout/notation/swizzle.h"

#include <fmt/core.h>

namespace warpledger {

uint64_t Swizzle::operator()(uint64_t offset) const {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  if (shift >= 0) return offset ^ ((offset >> (base + shift) & mask) << base);
  return offset ^ ((offset >> base & mask) << (base - shift));
}

LinearMap swizzle_map(const Swizzle& swizzle, int64_t size) {
  const Space space({{"offset", size}});
  std::vector<uint64_t> bases;
  for (int b = 0; b < space.bits(); ++b) {
    bases.push_back(swizzle(uint64_t{1} << b) & (static_cast<uint64_t>(size) - 1));
  }
  return LinearMap(space, space, std::move(bases));
}

std::string to_text(const Swizzle& swizzle) {
  return fmt::format("Swizzle<{},{},{}>", swizzle.bits, swizzle.base, swizzle.shift);
}

}  // namespace warpledger
