#include <gmock/gmock.h>

#include <thread>

#include "tests/support/law.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using warpledger::testing::Rng;

Shape any_shape(Rng& rng) {
  Shape shape{static_cast<uint32_t>(rng.bits())};
  const int64_t stride = rng.between(-64, 64) * 4;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    shape.offset[lane] = static_cast<int32_t>(stride * static_cast<int64_t>(lane));
  }
  return shape;
}

LAW(ShapeTable, SameShapeSameNumber) {
  ShapeTable table;
  std::vector<std::pair<Shape, uint32_t>> seen;
  for (int i = 0; i < 10 * rng.size(); ++i) {
    const Shape shape = any_shape(rng);
    seen.emplace_back(shape, table.intern(shape).value());
  }
  for (const auto& [shape, id] : seen) {
    EXPECT_EQ(table.intern(shape), id);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (!(shape.mask >> lane & 1)) continue;
      EXPECT_EQ(table[id].offset[lane], shape.offset[lane]);
    }
  }
}

TEST(Effect, ACopyReadsOneSpaceAndWritesTheOther) {
  for (const Kind kind : {Kind::kAsyncCopy, Kind::kBulkCopy}) {
    EXPECT_EQ(effect_of(Space::kGlobal, kind), Effect::kRead);
    EXPECT_EQ(effect_of(Space::kShared, kind), Effect::kWrite);
  }
  EXPECT_EQ(effect_of(Space::kShared, Kind::kBulkStore), Effect::kRead);
  EXPECT_EQ(effect_of(Space::kGlobal, Kind::kBulkStore), Effect::kWrite);
  EXPECT_EQ(effect_of(Space::kGlobal, Kind::kBulkReduction), Effect::kUpdate);
  EXPECT_EQ(effect_of(Space::kShared, Kind::kTensorCopy), Effect::kRead);
  EXPECT_EQ(effect_of(Space::kTensor, Kind::kTensorCopy), Effect::kWrite);
}

TEST(Effect, AtomicsUpdateWhateverTheyAnswer) {
  for (const Kind kind : {Kind::kAtomic, Kind::kCompareSwap, Kind::kReduction}) {
    EXPECT_EQ(effect_of(Space::kGlobal, kind), Effect::kUpdate);
    EXPECT_EQ(effect_of(Space::kShared, kind), Effect::kUpdate);
  }
}

TEST(LoadStoreUnit, IsPassedByWhatLanesAskForThemselves) {
  EXPECT_TRUE(passes_load_store_unit({.space = Space::kShared, .kind = Kind::kLoadMatrix}));
  EXPECT_TRUE(passes_load_store_unit({.kind = Kind::kAsyncCopy}));
  EXPECT_FALSE(passes_load_store_unit({.kind = Kind::kBulkCopy}));
  EXPECT_FALSE(passes_load_store_unit({.kind = Kind::kPrefetch}));
  EXPECT_FALSE(passes_load_store_unit({.space = Space::kTensor, .kind = Kind::kLoad}));
}

TEST(ShapeTable, ThreadsAreGivenTheSameNumbers) {
  constexpr uint32_t kShapes = 300, kThreads = 4;
  ShapeTable table;
  std::array<std::vector<uint32_t>, kThreads> numbers;
  std::vector<std::thread> threads;
  for (auto& own : numbers) {
    threads.emplace_back([&] {
      for (uint32_t i = 0; i < 20 * kShapes; ++i) {
        Shape shape{.mask = ~0U};
        for (size_t lane = 0; lane < kLanes; ++lane)
          shape.offset[lane] = static_cast<int32_t>((i % kShapes + 1) * lane);
        own.push_back(table.intern(shape).value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : numbers) EXPECT_EQ(own, numbers[0]);
  EXPECT_EQ(table.size(), kShapes + 1);
}

TEST(ShapeTable, TheEmptyMaskIsNumberZero) {
  ShapeTable table;
  Shape shape;
  shape.offset.fill(12);
  EXPECT_EQ(table.intern(shape), kNoLanes);
}

LAW(Buffer, HoldsWhatWasPushedAndNotDropped) {
  Buffer buffer;
  std::vector<Record> expected;
  for (int i = 0; i < 20 * rng.size(); ++i) {
    const Record record{rng.bits(), static_cast<uint32_t>(rng.between(0, 9)), 1};
    buffer.push(record);
    expected.push_back(record);
    if (rng.between(0, 9) == 0) {
      const auto drop = static_cast<size_t>(rng.between(0, static_cast<int64_t>(expected.size())));
      buffer.drop(drop);
      expected.erase(expected.begin(), expected.begin() + static_cast<int64_t>(drop));
    }
  }
  EXPECT_THAT(buffer.held(), ::testing::ElementsAreArray(expected));
}

/// A launch of one CTA with one warp and the sites given.
struct Fixture {
  explicit Fixture(Sites list) : sites(std::move(list)) {
    launch.block = {32, 1, 1};
    launch.shared_bytes = 1024;
    launch.sites = &sites;
    launch.shapes = &shapes;
  }
  uint32_t stride(int32_t bytes) {
    Shape shape{0xFFFFFFFF};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      shape.offset[lane] = bytes * static_cast<int32_t>(lane);
    }
    return shapes.intern(shape).value();
  }
  std::vector<std::string> faults(const std::vector<Record>& records) {
    CheckSink sink;
    sink.begin(launch);
    Buffer buffer;
    for (const Record& record : records) buffer.push(record);
    sink.drain(0, buffer);
    sink.end();
    return sink.faults();
  }
  Sites sites;
  ShapeTable shapes;
  Launch launch;
};

TEST(Access, OfAGroupHasEachSitesOffset) {
  Fixture f({{.instruction = 7, .offset = 0, .group = 2}, {.instruction = 9, .offset = 64}});
  const Record record{0x1000, f.stride(4), 0};
  const std::vector<Access> accesses = accesses_of(f.launch, &record);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].address[3], 0x100Cu);
  EXPECT_EQ(accesses[1].address[3], 0x104Cu);
  EXPECT_EQ(accesses[1].site->instruction, 9u);
}

TEST(CountSink, CountsExecutionsAndLanesOfEveryForm) {
  Fixture f({{}, {.kind = Kind::kBulkCopy}});
  Buffer buffer;
  buffer.push(mark(Mark::kCtaStart, 0));
  buffer.push({0x1000, f.stride(4), 0});
  buffer.push({0x1000, kNoLanes, 0});
  buffer.push_raw(0b101, 0, {});
  buffer.push_bulk(0x2000, 512, 1);
  buffer.push(mark(Mark::kWarpEnd));
  CountSink sink;
  sink.begin(f.launch);
  sink.drain(0, buffer);
  EXPECT_EQ(sink.sites()[0], (SiteCount{3, 34}));
  EXPECT_EQ(sink.sites()[1], (SiteCount{1, 1}));
  EXPECT_EQ(sink.marks(Mark::kWarpEnd), 1u);
  EXPECT_THAT(buffer.held(), IsEmpty());
}

TEST(DumpSink, SpellsOutLanesAndMarks) {
  Fixture f({{.instruction = 3, .kind = Kind::kStore, .width = 8}});
  Buffer buffer;
  buffer.push(mark(Mark::kCtaStart, 0));
  buffer.push_raw(0b11, 0, {0x10, 0x20});
  buffer.push(mark(Mark::kBarrier, 0, 1));
  DumpSink sink;
  sink.begin(f.launch);
  sink.drain(0, buffer);
  EXPECT_EQ(sink.text(),
            "cta 0 warp 0\n  cta_start 0 i0\n  i3 store.global 8B 00000003: 10 20\n"
            "  barrier 0 i1\n");
}

TEST(CheckSink, AcceptsAWellFormedStream) {
  Fixture f(Sites(1));
  EXPECT_THAT(f.faults({mark(Mark::kCtaStart),
                        {0x1000, f.stride(4), 0},
                        mark(Mark::kUse),
                        mark(Mark::kBarrier),
                        mark(Mark::kWarpEnd)}),
              IsEmpty());
}

TEST(CheckSink, NamesWhatIsBroken) {
  Fixture f({{.instruction = 5}, {.instruction = 6, .space = Space::kShared}});
  const uint32_t unit = f.stride(4);
  const auto first = [&](std::vector<Record> inside) {
    inside.insert(inside.begin(), mark(Mark::kCtaStart));
    inside.push_back(mark(Mark::kWarpEnd));
    const auto faults = f.faults(inside);
    return faults.empty() ? std::string() : faults.front();
  };
  EXPECT_THAT(first({{0x1001, unit, 0}}), HasSubstr("i5 lane 0: 1001 is not a multiple of 4"));
  EXPECT_THAT(first({{1000, unit, 1}}), HasSubstr("past the CTA's 1024 B of shared memory"));
  EXPECT_THAT(first({{0, unit, 2}}), HasSubstr("no such site: 2"));
  EXPECT_THAT(first({{0, 77, 0}}), HasSubstr("no such shape: 77"));
  EXPECT_THAT(f.faults({mark(Mark::kCtaStart)}).front(), HasSubstr("no warp_end"));
  EXPECT_THAT(f.faults({}).front(), HasSubstr("0 of 1 warps started"));
}

}  // namespace
}  // namespace warpledger::trace
