#include "interpose/math/xorwow.h"

#include <cstdlib>

namespace warpledger::math {
namespace {

constexpr uint32_t kWeyl = 362437;
constexpr int kDistance = 67;  // generators are 2^67 steps apart

std::array<uint32_t, 5> step(const std::array<uint32_t, 5>& v) {
  const uint32_t t = v[0] ^ (v[0] >> 2);
  return {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
}

}  // namespace

Xorwow Xorwow::of_seed(uint64_t seed) {
  const uint32_t low = static_cast<uint32_t>(seed) ^ 0xaad26b49u;
  const uint32_t high = static_cast<uint32_t>(seed >> 32) ^ 0xf7dcefddu;
  const uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
  return {{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0},
          6615241u + t1 + t0};
}

uint32_t Xorwow::next() {
  v = step(v);
  d += kWeyl;
  return v[4] + d;
}

std::array<uint32_t, 5> XorwowSkip::apply(const std::array<uint32_t, 5>& v) const {
  std::array<uint32_t, 5> sum = {};
  for (int bit = 0; bit < kBits; ++bit) {
    if ((v[static_cast<size_t>(bit / 32)] >> (bit % 32) & 1) == 0) continue;
    const auto& column = columns_[static_cast<size_t>(bit)];
    for (size_t i = 0; i < 5; ++i) sum[i] ^= column[i];
  }
  return sum;
}

XorwowSkip XorwowSkip::after(const XorwowSkip& first) const {
  XorwowSkip made;
  for (size_t bit = 0; bit < kBits; ++bit) made.columns_[bit] = apply(first.columns_[bit]);
  return made;
}

XorwowSkip XorwowSkip::doubled() const { return after(*this); }

XorwowSkip XorwowSkip::of_steps(uint64_t steps) {
  XorwowSkip made, power;
  for (size_t bit = 0; bit < kBits; ++bit) {
    std::array<uint32_t, 5> unit = {};
    unit[bit / 32] = uint32_t{1} << (bit % 32);
    made.columns_[bit] = unit;
    power.columns_[bit] = step(unit);
  }
  for (; steps != 0; steps >>= 1) {
    if ((steps & 1) != 0) made = power.after(made);
    if (steps > 1) power = power.doubled();
  }
  return made;
}

XorwowOrdered::XorwowOrdered(uint64_t seed, uint64_t offset) : states_(kGenerators) {
  XorwowSkip far = XorwowSkip::of_steps(1);
  for (int i = 0; i < kDistance; ++i) far = far.doubled();
  Xorwow now = Xorwow::of_seed(seed);
  const uint64_t rounds = offset / kGenerators, rest = offset % kGenerators;
  const XorwowSkip skip = XorwowSkip::of_steps(rounds);
  for (uint64_t i = 0; i < kGenerators; ++i) {
    Xorwow& state = states_[i];
    state = {skip.apply(now.v), now.d + static_cast<uint32_t>(rounds) * kWeyl};
    if (i < rest) static_cast<void>(state.next());
    now.v = far.apply(now.v);  // 2^67 Weyl steps are 0 in 32 bits
  }
}

}  // namespace warpledger::math
