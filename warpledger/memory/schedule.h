// Order. Cache hits depend on who comes when, which no public rule gives; these are the policies,
// each stated, with a seed where it draws numbers.
//
//   CTA to SM   CTA ids in order, x fastest; at first one CTA per SM, then a second one, ...; later
//               a CTA goes to the slot that frees.
//   progress    age-weighted round robin: in each round, the CTA of age rank r of n residents of an
//               SM (0 = oldest) earns 1 + bias (1 - 2 r / (n - 1)) steps; a step is one batch of
//               each of its warps. Twelve published reports fix bias at 0.15 to 0.2: fair
//               schedulers miss DRAM bytes by a third, strict oldest-first breaks the reuse inside
//               a CTA.
//   jitter      a batch takes as long as drawn from [1-jitter, 1+jitter], so that warps which no
//               barrier joins drift apart, as reports of tensor-core kernels show. Warps that wait
//               at a barrier go on together, when the last one has arrived.
//   drift       optionally, each CTA's earnings are scaled by a factor drawn from [1-drift,
//               1+drift].
//   SMs         in turn, `rounds_per_visit` rounds each.
#pragma once

#include <cstdint>

namespace warpledger::memory {

struct Schedule {
  double bias = 0.15;
  double jitter = 0.3;
  double drift = 0.0;
  uint32_t rounds_per_visit = 1;
  bool shuffle_sms = true;
  uint64_t seed = 1;

  /// Steps earned per round.
  [[nodiscard]] double earning(uint32_t rank, uint32_t residents) const {
    return residents < 2 ? 1.0 : 1.0 + bias * (1.0 - 2.0 * rank / (residents - 1));
  }
  /// Rounds that a batch takes for who earns `rate`; `unit`: drawn from [0, 1).
  [[nodiscard]] double length(double rate, double unit) const {
    return (1.0 + jitter * (2.0 * unit - 1.0)) / rate;
  }
  /// The drift factor of a CTA; the same for the same seed and id, in whatever order asked.
  [[nodiscard]] double pace(uint64_t cta) const;
};

/// Numbers from [0, 1); the same on every machine.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  [[nodiscard]] double next() { return unit_of(state_ += kGolden); }
  /// splitmix64 of a state, as a number from [0, 1).
  [[nodiscard]] static double unit_of(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    x ^= x >> 31;
    return static_cast<double>(static_cast<int64_t>(x >> 11)) /
           static_cast<double>(uint64_t{1} << 53);
  }
  static constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ull;

 private:
  uint64_t state_;
};

}  // namespace warpledger::memory
