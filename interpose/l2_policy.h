// Persisting L2: what a program may set aside and for which addresses. It is accepted, and the
// model of the L2 does not follow it; the first such call says so.
#pragma once

#include <cstdint>

#include "warpledger/gpu/gpu.h"

namespace warpledger::cuda {

/// The most that can be set aside; 0 before sm_80. Three quarters of the L2, as an A100 answers; of
/// others assumed.
[[nodiscard]] uint64_t persisting_l2_bytes(const Gpu& gpu);
/// The largest access policy window; 0 before sm_80. As an A100 answers; of others assumed.
[[nodiscard]] uint64_t access_window_bytes(const Gpu& gpu);

class L2Policy {
 public:
  [[nodiscard]] uint64_t set_aside() const { return set_aside_; }
  /// False where the GPU has none. More than there is becomes the most there is, as in CUDA.
  [[nodiscard]] bool set_aside(const Gpu& gpu, uint64_t bytes);
  /// False where the window is larger than the GPU allows.
  [[nodiscard]] bool accept_window(const Gpu& gpu, uint64_t bytes);

 private:
  void say_once();
  uint64_t set_aside_ = 0;
  bool said_ = false;
};

}  // namespace warpledger::cuda
