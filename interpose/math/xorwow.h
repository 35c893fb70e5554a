// The generator XORWOW (Marsaglia 2003) as cuRAND uses it: output n of the host interface, in
// legacy order, is position (n mod 4096) 2^67 + floor(n / 4096) of the sequence of its seed
// (cuRAND's documentation). So it is 4096 generators, whose states lie 2^67 steps apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpledger::math {

struct Xorwow {
  std::array<uint32_t, 5> v = {};
  uint32_t d = 0;

  /// As curand_init(seed, 0, 0).
  static Xorwow of_seed(uint64_t seed);
  uint32_t next();
};

/// `steps` steps as a linear map of v over GF(2).
class XorwowSkip {
 public:
  static XorwowSkip of_steps(uint64_t steps);
  [[nodiscard]] XorwowSkip doubled() const;
  [[nodiscard]] std::array<uint32_t, 5> apply(const std::array<uint32_t, 5>& v) const;

 private:
  static constexpr int kBits = 160;
  [[nodiscard]] XorwowSkip after(const XorwowSkip& first) const;
  std::array<std::array<uint32_t, 5>, kBits> columns_ = {};  // what each bit of v becomes
};

class XorwowOrdered {
 public:
  static constexpr int kGenerators = 4096;
  XorwowOrdered(uint64_t seed, uint64_t offset);
  /// All numbers that make one value come from one generator. Values are asked for in order.
  uint32_t next_of(uint64_t value) { return states_[value % kGenerators].next(); }

 private:
  std::vector<Xorwow> states_;
};

}  // namespace warpledger::math
