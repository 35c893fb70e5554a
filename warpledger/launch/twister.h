// The sequence of std::mt19937_64, in a quarter of the time: a block of numbers is made at once, by
// loops that compilers turn into vectors. Inputs of a launch have a hundred million elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpledger::exec {

class Twister {
 public:
  explicit Twister(uint64_t seed);
  uint64_t operator()() {
    if (at_ == kWords) make_block();
    return block_[at_++];
  }

 private:
  static constexpr size_t kWords = 312, kMiddle = 156;
  void make_block();

  std::array<uint64_t, kWords> state_{}, block_{};
  size_t at_ = kWords;
};

}  // namespace warpledger::exec
