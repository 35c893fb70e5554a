#include <gmock/gmock.h>

#include "tests/unit/memory/oracle.h"
#include "warpledger/memory/l1.h"
#include "warpledger/memory/l2.h"

namespace warpledger::memory {
namespace {

/// An L1 of one set per bank, and the oracle with the bank as its set.
LAW(L1, LoadsAndStoresLikeAListOfLines) {
  const auto ways = static_cast<uint32_t>(rng.between(1, 16));
  L1 l1(uint64_t{ways} * 4 * 128);
  NaiveCache naive{ways, {}};
  for (int i = 0; i < 2000; ++i) {
    const auto line = static_cast<uint32_t>(rng.between(0, 4 + 8 * ways));
    const auto sectors = static_cast<uint8_t>(rng.between(1, 15));
    bool tag = false;
    if (rng.between(0, 3) > 0) {
      EXPECT_EQ(l1.load(line, sectors), naive.touch(tag_bank(line), line, sectors, tag));
    } else {
      naive.touch(tag_bank(line), line, sectors, tag);
      EXPECT_EQ(l1.store(line, sectors), tag);
    }
  }
}

/// The same with several sets per bank, as look() names them.
LAW(L1, EverySetIsAListOfItsOwn) {
  L1 l1(uint64_t{4 * 128} * 16 * static_cast<uint64_t>(rng.between(1, 9)));
  NaiveCache naive{16, {}};
  const int64_t lines = rng.between(1, 2 * static_cast<int64_t>(l1.lines()));
  for (int i = 0; i < 2000; ++i) {
    const auto line = static_cast<uint32_t>(rng.between(0, lines) * 37);
    const auto sectors = static_cast<uint8_t>(rng.between(1, 15));
    bool tag = false;
    EXPECT_EQ(l1.load(line, sectors), naive.touch(l1.look(line).set, line, sectors, tag));
  }
}

TEST(L1, HoldsItsCapacityOfConsecutiveLines) {
  L1 l1(120 * 1024);
  EXPECT_EQ(l1.lines(), 960u);
  for (uint32_t line = 4800; line < 5760; ++line) EXPECT_EQ(l1.load(line, 0xF), 0);
  for (uint32_t line = 4800; line < 5760; ++line) EXPECT_EQ(l1.load(line, 0xF), 0xF);
}

TEST(L1, LinesAtAPitchOf64KLiveTogether) {  // V100 row sums: 87.5 % of 256 such lines hit
  L1 l1(128 * 1024);
  for (uint32_t row = 0; row < 256; ++row) l1.load(row * 512, 1);
  uint32_t hits = 0;
  for (uint32_t row = 0; row < 256; ++row) hits += l1.load(row * 512, 1);
  EXPECT_EQ(hits, 256u);
}

TEST(L1, FetchesOnlyTheSectorsThatAreMissing) {
  L1 l1(32 * 1024);
  EXPECT_EQ(l1.load(7, 0b0001), 0);
  EXPECT_EQ(l1.load(7, 0b0011), 0b0001);
}

TEST(L1, AStoreAllocatesItsTagButNotItsPartialSectors) {
  L1 l1(32 * 1024);
  EXPECT_FALSE(l1.store(7, 0b0001));
  EXPECT_TRUE(l1.store(7, 0));            // the tag is there
  EXPECT_EQ(l1.load(7, 0b0011), 0b0001);  // what was written whole can be read
}

TEST(L1, AStreamedLineIsTheFirstToGo) {
  L1 l1(4 * 2 * 128);  // two ways per bank
  const std::vector<uint32_t> bank0 = {0, 5, 10, 15};
  for (const uint32_t line : bank0) ASSERT_EQ(tag_bank(line), 0u);
  l1.load(bank0[0], 1);
  l1.load(bank0[1], 1, L1::Allocate::kEvictFirst);
  l1.load(bank0[2], 1);
  EXPECT_EQ(l1.load(bank0[0], 1), 1);
  EXPECT_EQ(l1.load(bank0[1], 1), 0);
}

struct L2Fixture {
  explicit L2Fixture(L2Config config, bool ecc = false) : dram(ecc), l2(config, dram), sites(1) {}
  void send(L2Operation operation, uint32_t line, uint8_t sectors, uint32_t side = 0,
            uint8_t partial = 0, ByteMask bytes = {}) {
    L2Queue queue;
    queue.push({line, 0, operation, sectors, partial, 0}, bytes);
    l2.process(queue, 0, 1, side, sites);
  }
  Dram dram;
  L2 l2;
  std::vector<SiteCounters> sites;
};
constexpr uint64_t kMiB = 1 << 20;

/// One set, so that the oracle is one list.
LAW(L2, ReadsLikeAListOfLines) {
  L2Fixture f({.bytes = 16 * 128});
  NaiveCache naive{16, {}};
  uint64_t hits = 0, lookups = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto line = static_cast<uint32_t>(rng.between(0, 24));
    const auto sectors = static_cast<uint8_t>(rng.between(1, 15));
    bool tag = false;
    f.send(L2Operation::kRead, line, sectors);
    hits += static_cast<uint64_t>(std::popcount(naive.touch(0, line, sectors, tag)));
    lookups += static_cast<uint64_t>(std::popcount(sectors));
  }
  EXPECT_EQ(f.l2.counters().read_hits, hits);
  EXPECT_EQ(f.l2.counters().read_sectors, lookups);
  EXPECT_EQ(f.dram.counters().read_sectors, lookups - hits);
}

LAW(L2, EverySectorWrittenIsWrittenBackOnceOrLeft) {
  L2Fixture f({.bytes = 64 * 1024, .dirty_share = 0.3});
  const int lines = 20 * rng.size();
  for (int line = 0; line < lines; ++line) {
    f.send(L2Operation::kWrite, static_cast<uint32_t>(line), 0xF);
  }
  f.l2.finish();
  EXPECT_EQ(f.dram.counters().write_sectors + f.dram.counters().dirty_left_sectors,
            static_cast<uint64_t>(4 * lines));
  EXPECT_LE(f.dram.counters().dirty_left_sectors, 614u);  // 0.3 x 64 KiB
}

TEST(L2, WritesHitAndFetchNothing) {
  L2Fixture f({.bytes = kMiB});
  f.send(L2Operation::kWrite, 1, 0xF);
  EXPECT_EQ(f.l2.counters().write_hits, 4u);
  EXPECT_EQ(f.dram.counters().read_sectors, 0u);
}

TEST(L2, APartlyWrittenSectorIsFetchedWhenRead) {
  L2Fixture f({.bytes = kMiB});
  f.send(L2Operation::kWrite, 1, 0b11, 0, 0b10, {0xFFFFFFFFF, 0});
  f.send(L2Operation::kRead, 1, 0b11);
  EXPECT_EQ(f.l2.counters().read_hits, 1u);
  EXPECT_EQ(f.dram.counters().read_sectors, 1u);
}

TEST(L2, ASectorWrittenInPartsIsWholeWhenItsLastByteArrives) {
  L2Fixture f({.bytes = kMiB});
  f.send(L2Operation::kWrite, 1, 1, 0, 1, {0x0000FFFF, 0});
  f.send(L2Operation::kWrite, 1, 1, 0, 1, {0xFFFF0000, 0});
  f.send(L2Operation::kRead, 1, 1);
  EXPECT_EQ(f.l2.counters().read_hits, 1u);
}

TEST(L2, ALineThatWaitsForBytesIsNotWrittenBackEarly) {
  L2Fixture f({.bytes = 64 * 1024, .dirty_share = 0.01});
  for (uint32_t line = 0; line < 64; ++line) f.send(L2Operation::kWrite, line, 1, 0, 1, {0xF, 0});
  EXPECT_EQ(f.dram.counters().write_sectors, 0u);
}

TEST(L2, InlineEccFetchesTheRestOfAPartlyWrittenSectorOnce) {
  L2Fixture f({.bytes = kMiB, .fill_partial_writes = true});
  f.send(L2Operation::kWrite, 1, 1, 0, 1, {0x000000FF, 0});
  f.send(L2Operation::kWrite, 1, 1, 0, 1, {0x0000FF00, 0});
  EXPECT_EQ(f.dram.counters().read_sectors, 1u);
  EXPECT_EQ(f.l2.counters().ecc_sectors, 1u);
}

TEST(L2, OnlyThePartialWriteThatHasItsSectorFetchedMisses) {
  L2Fixture f({.bytes = kMiB, .fetch_bytes = 64, .fill_partial_writes = true});
  f.send(L2Operation::kWrite, 1, 1, 0, 1, {0x000000FF, 0});
  f.send(L2Operation::kWrite, 1, 1, 0, 1, {0x0000FF00, 0});
  EXPECT_EQ(f.dram.counters().read_sectors, 1u);  // the sector alone, not 64 B
  EXPECT_EQ(f.l2.counters().lookups(), 2u);       // the fetch is none
  EXPECT_EQ(f.l2.counters().hits(), 1u);
}

TEST(L2, WhatAFetchBringsAlongIsCountedWhenItComes) {
  L2Fixture f({.bytes = kMiB, .fetch_bytes = 64});
  f.send(L2Operation::kRead, 1, 0b0001);
  f.send(L2Operation::kRead, 1, 0b0010);
  f.send(L2Operation::kRead, 2, 0b1111);
  EXPECT_EQ(f.l2.counters().promoted_sectors, 1u);
  EXPECT_EQ(f.l2.counters().read_hits, 1u);
}

TEST(L2, AMissFetchesSixtyFourBytesWhereThePartDoes) {
  L2Fixture f({.bytes = kMiB, .fetch_bytes = 64});
  f.send(L2Operation::kRead, 1, 0b0010);
  EXPECT_EQ(f.dram.counters().read_sectors, 2u);
  f.send(L2Operation::kRead, 1, 0b0001);
  EXPECT_EQ(f.l2.counters().read_hits, 1u);
  f.send(L2Operation::kRead, 1, 0b1111);
  EXPECT_EQ(f.dram.counters().read_sectors, 4u);
}

TEST(L2, AnAtomicMissesOnceAndHitsThereafter) {
  L2Fixture f({.bytes = kMiB});
  for (int i = 0; i < 32; ++i) f.send(L2Operation::kAtomic, 1, 1);
  EXPECT_EQ(f.l2.counters().atomic_hits, 31u);
  EXPECT_EQ(f.dram.counters().read_sectors, 1u);
}

TEST(L2, TheFarPartitionIsAskedOverTheFabricAndTheDataKeptOnBothSides) {
  L2Fixture f({.bytes = kMiB, .fabric = Fabric::kGh100});
  for (uint32_t line = 0; line < 1000; ++line) f.send(L2Operation::kRead, line, 0xF, 0);
  EXPECT_NEAR(static_cast<double>(f.l2.counters().fabric_sectors), 2000.0, 200.0);
  const uint64_t fetched = f.dram.counters().read_sectors;
  for (uint32_t line = 0; line < 1000; ++line) f.send(L2Operation::kRead, line, 0xF, 1);
  EXPECT_EQ(f.dram.counters().read_sectors, fetched);
  EXPECT_EQ(f.l2.counters().fabric_hits + f.l2.counters().read_hits, 4000u);
}

TEST(Dram, InlineCheckBitsCostAnEighthOnAStreamAndDoubleOnScatteredSectors) {
  Dram stream(true), scattered(true);
  for (uint32_t line = 0; line < 10000; ++line) {
    stream.read(line, 0xF);
    scattered.read(line * 1000, 1);
  }
  EXPECT_EQ(stream.counters().read_sectors, 45000u);
  EXPECT_EQ(scattered.counters().read_sectors, 20000u);
}

}  // namespace
}  // namespace warpledger::memory
