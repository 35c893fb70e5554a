// Race reports against a list of every access to every byte, and the two engines against each
// other.
#include <gmock/gmock.h>

#include <set>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "tests/unit/race/racy_kernel.h"
#include "warpledger/race/watch.h"

namespace warpledger::race {
namespace {

using exec::TestMachine;
using Pairs = std::set<std::pair<uint32_t, uint32_t>>;  // of instructions, the lower first

/// Every access of every thread to every byte, by interval.
class ListSink : public trace::Sink {
 public:
  void begin(const trace::Launch& launch) override {
    launch_ = &launch;
    streams_.clear();
    accesses_.clear();
  }
  void drain(uint32_t warp, trace::Buffer& buffer) override {
    Stream& stream = streams_[&buffer];
    const auto held = buffer.held();
    for (size_t at = 0; at < held.size(); at += trace::slots_of(held[at])) {
      const trace::Record& record = held[at];
      if (record.shape != trace::kMark) {
        for (const trace::Access& access : trace::accesses_of(*launch_, &record))
          add(access, stream, warp);
      } else if (trace::mark_kind(record) == trace::Mark::kCtaStart) {
        stream = {.block = trace::mark_count(record)};
      } else if (trace::mark_kind(record) == trace::Mark::kBarrier) {
        ++stream.interval;
      }
    }
    buffer.clear();
  }

  [[nodiscard]] Pairs races() const {
    Pairs found;
    for (const One& a : accesses_) {
      for (const One& b : accesses_) {
        const bool unordered = a.block == b.block && a.interval == b.interval && a.warp != b.warp;
        const bool conflict = (a.plain_write || b.plain_write) && !(a.atomic && b.atomic);
        if (unordered && conflict && a.byte == b.byte)
          found.insert(std::minmax(a.instruction, b.instruction));
      }
    }
    return found;
  }

 private:
  struct Stream {
    uint64_t block = 0;
    uint32_t interval = 0;
  };
  struct One {
    uint64_t block = 0, byte = 0;
    uint32_t interval = 0, warp = 0, instruction = 0;
    bool plain_write = false, atomic = false;
    friend auto operator<=>(const One&, const One&) = default;
  };
  void add(const trace::Access& access, const Stream& stream, uint32_t warp) {
    if (access.site->space != trace::Space::kShared) return;
    for (size_t lane = 0; lane < trace::kLanes; ++lane) {
      if (!(access.mask >> lane & 1)) continue;
      for (uint64_t byte = 0; byte < access.site->width; ++byte) {
        accesses_.insert({.block = stream.block,
                          .byte = access.address[lane] + byte,
                          .interval = stream.interval,
                          .warp = warp,
                          .instruction = access.site->instruction,
                          .plain_write = access.site->kind == trace::Kind::kStore,
                          .atomic = access.site->kind == trace::Kind::kReduction});
      }
    }
  }

  const trace::Launch* launch_ = nullptr;
  std::map<const trace::Buffer*, Stream> streams_;
  std::set<One> accesses_;
};

struct Watched {
  std::string error;
  Report report;
  Pairs listed, found;
};

Watched watch(trace::Producer& engine, uint32_t threads = 1) {
  Watch races(engine, {});
  ListSink list;
  const Status done = trace::run_all(races, list, 2, threads);
  if (!done) return {.error = to_text(done.error())};
  Watched watched{.report = races.report(), .listed = list.races()};
  for (const Race& race : watched.report.races) {
    const trace::Sites& sites = *engine.launch().sites;
    watched.found.insert(
        std::minmax(sites[race.first.site].instruction, sites[race.second.site].instruction));
  }
  return watched;
}

LAW(Race, AllPairsOfLinesAreFoundAndNoOthers) {
  const RacyKernel kernel(rng);
  TestMachine machine(kernel.text());
  const exec::Launch launch = RacyKernel::launch(rng, machine);
  auto engine = exec::reference::Engine::create(machine.image(), launch);
  ASSERT_TRUE(engine) << to_text(engine.error());
  const Watched watched = watch(**engine);
  EXPECT_EQ(watched.error, "") << kernel.text();
  EXPECT_EQ(watched.found, watched.listed) << kernel.text();
}

LAW(Race, BothEnginesReportTheSame) {
  if (!exec::can_compile()) return;
  const RacyKernel kernel(rng);
  TestMachine machine(kernel.text());
  const exec::Launch launch = RacyKernel::launch(rng, machine);
  auto interpreted = exec::reference::Engine::create(machine.image(), launch);
  auto compiled = exec::jit::Engine::create(machine.image(), launch,
                                            exec::jit::shared_code_cache({}), {.record = true});
  ASSERT_TRUE(interpreted && compiled);
  const Watched one = watch(**interpreted), other = watch(**compiled);
  EXPECT_EQ(one.report.races, other.report.races) << kernel.text();
  auto again = exec::jit::Engine::create(machine.image(), launch, exec::jit::shared_code_cache({}),
                                         {.record = true});
  EXPECT_EQ(watch(**again, 2).report.races, one.report.races) << kernel.text();
}

}  // namespace
}  // namespace warpledger::race
