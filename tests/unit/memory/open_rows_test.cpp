#include "warpledger/memory/open_rows.h"

#include <gtest/gtest.h>

#include <list>
#include <map>

#include "tests/support/law.h"
#include "warpledger/memory/dram.h"

namespace warpledger::memory {
namespace {

constexpr RowsConfig kTwo{.channels = 2, .row_bytes = 1024};

/// Each channel's rows as a list, touched last first.
class Naive {
 public:
  explicit Naive(RowsConfig config) : config_(config) {}
  bool touch(uint64_t line) {
    const uint64_t byte = line * 128, piece = byte / 256;
    std::list<uint64_t>& open = channels_[piece % config_.channels];
    const uint64_t row = piece / config_.channels * 256 / config_.row_bytes;
    const size_t before = open.size();
    open.remove(row);
    const bool opened = open.size() == before;
    open.push_front(row);
    if (open.size() > 16) open.pop_back();
    return opened;
  }

 private:
  RowsConfig config_;
  std::map<uint64_t, std::list<uint64_t>> channels_;
};

LAW(OpenRows, OpenWhatAListOfRowsOpens) {
  const RowsConfig config{.channels = static_cast<uint32_t>(rng.between(1, 9)),
                          .row_bytes = 256u << rng.between(0, 4)};
  OpenRows rows(config);
  Naive naive(config);
  const int64_t lines = 1 << rng.between(2, 12);
  for (int i = 0; i < 40 * rng.size(); ++i) {
    const auto line = static_cast<uint32_t>(rng.between(0, lines));
    EXPECT_EQ(rows.touch(line), naive.touch(line));
  }
}

TEST(OpenRows, AStreamOpensEachRowOnce) {
  OpenRows rows(kTwo);
  int opened = 0;
  for (uint32_t line = 0; line < 160; ++line) opened += rows.touch(line);
  EXPECT_EQ(opened, 160 * 128 / 1024);
}

TEST(OpenRows, MoreStreamsThanBanksCloseEachOthersRows) {
  const auto play = [](uint32_t streams) {
    OpenRows rows({.channels = 1, .row_bytes = 1024});
    int opened = 0;
    for (uint32_t step = 0; step < 8; ++step) {
      for (uint32_t stream = 0; stream < streams; ++stream)
        opened += rows.touch(1024 * stream + step);
    }
    return opened;
  };
  EXPECT_EQ(play(16), 16);
  EXPECT_EQ(play(17), 17 * 8);
}

TEST(OpenRows, MemoryOfUnknownRowsCountsNone) {
  Dram dram(false);
  dram.read(0, 0xF);
  EXPECT_EQ(dram.counters().opened_rows, 0u);
}

TEST(OpenRows, ReadsAndWritesOpenThem) {
  Dram dram(false, kTwo);
  dram.read(0, 0xF);
  dram.write(1, 0xF);   // the same row
  dram.write(64, 0xF);  // another one
  EXPECT_EQ(dram.counters().opened_rows, 2u);
}

}  // namespace
}  // namespace warpledger::memory
