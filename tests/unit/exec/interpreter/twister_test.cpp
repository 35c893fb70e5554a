#include "warpledger/launch/twister.h"

#include <random>

#include "tests/support/law.h"

namespace warpledger::exec {
namespace {

LAW(Twister, IsTheStandardLibrarys) {
  const uint64_t seed = rng.bits();
  Twister twister(seed);
  std::mt19937_64 standard(seed);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(twister(), standard()) << i;
}

}  // namespace
}  // namespace warpledger::exec
