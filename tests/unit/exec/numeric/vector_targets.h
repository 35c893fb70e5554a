// Vectors of every instruction set that the host has (Highway), one after the other.
#pragma once

#include <gtest/gtest.h>

// As tile_vectors.cpp. Who tests code that has one, too, defines HWY_WANT_AVX3_DL before.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/highway.h>

namespace warpledger::exec {

/// While it lives, vectors are those of one instruction set.
class OnTarget {
 public:
  explicit OnTarget(int64_t target) { choose(target); }
  ~OnTarget() { choose(0); }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;

 private:
  static void choose(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// f() on every instruction set that this host and this build have.
template <class F>
void on_every_target(F f) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    SCOPED_TRACE(hwy::TargetName(target));
    f();
  }
}

}  // namespace warpledger::exec
