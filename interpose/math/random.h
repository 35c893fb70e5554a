// Random numbers for the host interface of cuRAND: bits from a generator, and distributions of them
// by cuRAND's documented formulas. XORWOW's bits are cuRAND's; the others have the algorithm or the
// distribution right, not NVIDIA's order.
#pragma once

#include <memory>

#include "interpose/math/xorwow.h"

namespace warpledger::math {

/// The numbers of curandRngType_t that we take.
enum class RandomType : int {
  kDefault = 100,
  kXorwow = 101,
  kMrg32k3a = 121,
  kMtgp32 = 141,
  kMt19937 = 142,
  kPhilox = 161,
};
[[nodiscard]] bool is_known(RandomType type);
/// Whether bits, and uniform numbers of 32 bits, are those of cuRAND in legacy order.
[[nodiscard]] bool has_sequence_of_curand(RandomType type);

/// Philox4x32-10 (Salmon and others 2011): one block of four numbers.
[[nodiscard]] std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                             std::array<uint32_t, 2> key);

class Random {
 public:
  Random(RandomType type, uint64_t seed, uint64_t offset);

  [[nodiscard]] uint32_t bits() { return bits_of(at_++); }
  /// In (0, 1].
  [[nodiscard]] float uniform();
  [[nodiscard]] double uniform_double();
  /// Two at a time, by Box and Muller.
  [[nodiscard]] std::array<double, 2> normals(bool in_double);
  [[nodiscard]] uint32_t poisson(double mean);

 private:
  [[nodiscard]] uint32_t bits_of(uint64_t value);
  std::unique_ptr<XorwowOrdered> xorwow_;  // else Philox
  uint64_t seed_ = 0, at_ = 0, drawn_ = 0;
};

}  // namespace warpledger::math
