#include "interpose/l2_policy.h"

#include <algorithm>

#include "interpose/core.h"

namespace warpledger::cuda {
namespace {

bool has_persisting_l2(const Gpu& gpu) { return gpu.architecture.major >= 8; }

}  // namespace

uint64_t persisting_l2_bytes(const Gpu& gpu) {
  if (!has_persisting_l2(gpu) || !gpu.l2.bytes) return 0;
  return static_cast<uint64_t>(gpu.l2.bytes->value) / 4 * 3;
}

uint64_t access_window_bytes(const Gpu& gpu) {
  return has_persisting_l2(gpu) ? (uint64_t{128} << 20) - 4096 : 0;
}

void L2Policy::say_once() {
  if (!said_)
    Core::say("persisting L2 accesses are accepted but not modeled: they do not change any number");
  said_ = true;
}

bool L2Policy::set_aside(const Gpu& gpu, uint64_t bytes) {
  if (!has_persisting_l2(gpu)) return false;
  set_aside_ = std::min(bytes, persisting_l2_bytes(gpu));
  if (set_aside_ != 0) say_once();
  return true;
}

bool L2Policy::accept_window(const Gpu& gpu, uint64_t bytes) {
  if (bytes > access_window_bytes(gpu)) return false;
  if (bytes != 0) say_once();
  return true;
}

}  // namespace warpledger::cuda
