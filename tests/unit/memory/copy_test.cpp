// cp.async: two records, and the wavefronts of its side in shared memory.
#include <set>

#include "tests/support/law.h"
#include "tests/unit/memory/synthetic.h"
#include "warpledger/memory/banks.h"
#include "warpledger/memory/replay.h"

namespace warpledger::memory {
namespace {

using trace::Kind;
using trace::Space;

constexpr int64_t kBytes = 16;  // of a lane

Config one_sm() {
  Config config;
  config.sms = config.ctas_per_sm = 1;
  config.l1_bytes = 16 * 1024;
  config.l2.bytes = 128 * 1024;
  return config;
}

struct CopySites {
  uint32_t from = 0, to = 0;
};
CopySites add_copy(Synthetic& kernel) {
  const auto side = [&](Space space) {
    return kernel.site({.space = space, .kind = Kind::kAsyncCopy, .width = kBytes});
  };
  const uint32_t from = side(Space::kGlobal);
  return {from, side(Space::kShared)};
}

/// One warp copies rows of `row_bytes` that lie 4 KiB apart into consecutive shared memory.
RequestCounters copy_rows(int64_t row_bytes, int64_t lanes = 32) {
  Synthetic kernel({1, 1, 1}, {32, 1, 1});
  const CopySites copy = add_copy(kernel);
  const int64_t array = kernel.array(1 << 20), in_row = row_bytes / kBytes;
  kernel.run_body(1, [=](Emitter& e, const Cta&, uint32_t, uint32_t) {
    e.at(copy.from, [=](int64_t t) {
      return t < lanes ? array + t / in_row * 4096 + t % in_row * kBytes : kOff;
    });
    e.at(copy.to, [=](int64_t t) { return t < lanes ? t * kBytes : kOff; });
  });
  return replay(kernel, one_sm()).value().sites[copy.to].request;
}

// The tiles of published reports whose wavefronts these are (docs/validation.md).
TEST(AsyncCopies, EveryLineThatIsReadIsAWavefront) {
  EXPECT_EQ(copy_rows(32).data_wavefronts, 16u);      // l4_fp16_ptx_mma_512_b1
  EXPECT_EQ(copy_rows(64).data_wavefronts, 8u);       // rtxpro6000bw_mma_fp8_8192
  EXPECT_EQ(copy_rows(256).data_wavefronts, 4u);      // h100sxm_wmma_128x128_3stage_8192, B
  EXPECT_EQ(copy_rows(16, 16).data_wavefronts, 16u);  // l4_int8_wmma_4096_b4
  EXPECT_EQ(copy_rows(32).ideal_wavefronts, 4u);
  EXPECT_EQ(copy_rows(16, 16).ideal_wavefronts, 2u);
}

TEST(AsyncCopies, LanesThatReadNothingWriteZerosAtTheBanksCost) {
  Synthetic kernel({1, 1, 1}, {32, 1, 1});
  const CopySites copy = add_copy(kernel);
  kernel.run_body(1, [=](Emitter& e, const Cta&, uint32_t, uint32_t) {
    e.at(copy.from, [](int64_t) { return kOff; });
    e.at(copy.to, [](int64_t t) { return t * kBytes; });
  });
  EXPECT_EQ(replay(kernel, one_sm()).value().sites[copy.to].request.data_wavefronts, 4u);
}

LAW(AsyncCopies, TakeWhatLinesOrBanksNeedWhicheverIsMore) {
  const auto warps = static_cast<uint32_t>(rng.between(1, 4));
  Synthetic kernel({2, 1, 1}, {32 * warps, 1, 1});
  const CopySites copy = add_copy(kernel);
  const int64_t array = kernel.array(1 << 20), pitch = rng.between(1, 40) * kBytes,
                to_pitch = rng.between(1, 10) * kBytes, in_row = int64_t{1} << rng.between(0, 5);
  uint64_t expected = 0;
  const auto place = [in_row](int64_t t, int64_t row) {
    return t / in_row * row + t % in_row * kBytes;
  };
  kernel.run_body(3, [&](Emitter& e, const Cta&, uint32_t warp, uint32_t step) {
    const int64_t from = array + step * kBytes, wide = pitch * (step + 1);
    e.at(copy.from, [&](int64_t t) { return from + place(t, wide); });
    e.at(copy.to, [&](int64_t t) { return place(t, to_pitch); });
    Lanes to{0xFFFFFFFF, kBytes, {}};
    std::set<int64_t> lines;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const auto t = static_cast<int64_t>(32 * warp + lane);
      to.address[lane] = static_cast<uint64_t>(place(t, to_pitch));
      lines.insert((from + place(t, wide)) / 128);
    }
    expected += std::max<uint64_t>(lines.size(), shared_wavefronts(to).total);
  });
  const Counters counters = replay(kernel, one_sm()).value();
  EXPECT_EQ(counters.sites[copy.to].request.data_wavefronts, expected);
  EXPECT_EQ(counters.sites[copy.from].request.data_wavefronts, 0u);
}

}  // namespace
}  // namespace warpledger::memory
