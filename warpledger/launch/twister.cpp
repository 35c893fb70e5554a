#include "warpledger/launch/twister.h"

namespace warpledger::exec {
namespace {

/// Constants: Nishimura, Tables of 64-bit Mersenne twisters (2000); std::mt19937_64.
uint64_t twisted(uint64_t upper, uint64_t lower) {
  constexpr uint64_t kLower = 0x7FFFFFFF, kMatrix = 0xB5026F5AA96619E9;
  const uint64_t both = (upper & ~kLower) | (lower & kLower);
  return both >> 1 ^ ((0 - (both & 1)) & kMatrix);
}

uint64_t tempered(uint64_t word) {
  word ^= word >> 29 & 0x5555555555555555;
  word ^= word << 17 & 0x71D67FFFEDA60000;
  word ^= word << 37 & 0xFFF7EEE000000000;
  return word ^ word >> 43;
}

}  // namespace

Twister::Twister(uint64_t seed) {
  state_[0] = seed;
  for (size_t i = 1; i < kWords; ++i) {
    const uint64_t before = state_[i - 1];
    state_[i] = 6364136223846793005 * (before ^ before >> 62) + i;
  }
}

void Twister::make_block() {
  uint64_t* const state = state_.data();
  for (size_t i = 0; i < kMiddle; ++i)
    state[i] = state[i + kMiddle] ^ twisted(state[i], state[i + 1]);
  for (size_t i = kMiddle; i < kWords - 1; ++i)
    state[i] = state[i - kMiddle] ^ twisted(state[i], state[i + 1]);
  state[kWords - 1] = state[kMiddle - 1] ^ twisted(state[kWords - 1], state[0]);
  for (size_t i = 0; i < kWords; ++i) block_[i] = tempered(state[i]);
  at_ = 0;
}

}  // namespace warpledger::exec
