#include "warpledger/profile/run/run_statistics.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>

#include "warpledger/base/number.h"

namespace warpledger::profile {
namespace {

uint64_t thread_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Accesses among the slots from `from` on: marks are none, a record may stand for a group.
uint64_t accesses_from(const trace::Buffer& buffer, size_t from, const trace::Sites& sites) {
  const std::span<const trace::Record> held = buffer.held();
  uint64_t count = 0;
  for (size_t at = from; at < held.size();) {
    const bool is_mark = held[at].shape == trace::kMark;
    count += is_mark ? 0 : sites[held[at].site].group;
    at += is_mark || held[at].shape < trace::kMaxShapes ? 1 : slots_of(held[at]);
  }
  return count;
}

Cell seconds(double n) { return Cell(fmt::format("{:.3f}", n), n, Fidelity::kMeasured); }
Cell count(uint64_t n) { return Cell(static_cast<int64_t>(n), Fidelity::kExact); }

void add_lap(const std::string& name, const Lap& lap, Table& table, bool rule_before = false) {
  table.rows.push_back({{name, seconds(lap.wall_seconds), seconds(lap.cpu_seconds)}, rule_before});
}

const Lap* find_lap(const RunStatistics& statistics, std::string_view name) {
  const std::vector<Lap>& laps = statistics.watch.laps();
  const auto found =
      std::find_if(laps.begin(), laps.end(), [&](const Lap& lap) { return lap.name == name; });
  return found == laps.end() ? nullptr : &*found;
}

}  // namespace

void RunStatistics::note(const exec::Engine& engine, const std::string& code_folder,
                         const TimedProducer& timed) {
  timed.add_to(*this);
  ++modeled;
  code = exec::code_uses(code_folder);
  compile_cpu_seconds += engine.compile_seconds();
}

Result<trace::Progress> TimedProducer::run(uint32_t slot, uint32_t budget) {
  std::vector<size_t> held;
  for (const trace::Buffer& buffer : engine_.buffers(slot)) held.push_back(buffer.held().size());
  const uint64_t begun = thread_nanoseconds();
  Result<trace::Progress> progress = engine_.run(slot, budget);
  nanoseconds_ += thread_nanoseconds() - begun;
  size_t warp = 0;
  for (const trace::Buffer& buffer : engine_.buffers(slot)) {
    records_ += buffer.held().size() - held[warp];
    accesses_ += accesses_from(buffer, held[warp++], *launch().sites);
  }
  return progress;
}

void TimedProducer::add_to(RunStatistics& statistics) const {
  statistics.engine_cpu_seconds += 1e-9 * static_cast<double>(nanoseconds_.load());
  statistics.records += records_;
  statistics.accesses += accesses_;
}

Table phase_table(const RunStatistics& statistics) {
  Table table{.title = "Where the time went",
              .columns = {{"Phase", "phase"},
                          {"Wall s", "wall_seconds", Align::kRight},
                          {"CPU s", "cpu_seconds", Align::kRight}}};
  const Lap total = statistics.watch.total();
  Lap rest = total;
  for (const Lap& lap : statistics.watch.laps()) {
    add_lap(lap.name, lap, table);
    rest.wall_seconds -= lap.wall_seconds;
    rest.cpu_seconds -= lap.cpu_seconds;
    if (lap.name == phase::kRun && statistics.records > 0) {
      const double engine = std::min(statistics.engine_cpu_seconds, lap.cpu_seconds);
      table.rows.push_back({{"  the kernel, with recording", Cell(), seconds(engine)}});
      table.rows.push_back({{"  the memory model", Cell(), seconds(lap.cpu_seconds - engine)}});
    }
    if (lap.name == phase::kCode && statistics.compile_cpu_seconds > 0)
      table.rows.push_back({{"  compiling", Cell(), seconds(statistics.compile_cpu_seconds)}});
  }
  add_lap("[other]", rest, table);
  add_lap("TOTAL", total, table, true);
  return table;
}

Table work_table(const RunStatistics& statistics) {
  Table table{.title = "What was done",
              .columns = {{"What", "what"}, {"Count", "count", Align::kRight}}};
  const auto add = [&](const char* what, const Cell& cell) {
    table.rows.push_back({{what, cell}});
  };
  add("launches modeled", count(statistics.modeled));
  add("launches run without the models", count(statistics.bare));
  add("answers from the store", count(statistics.from_store));
  add("kernels compiled", count(statistics.code.compiled));
  add("compiled kernels found on disk", count(statistics.code.on_disk));
  add("compiled kernels found in memory", count(statistics.code.in_memory));
  add("records of 16 bytes", count(statistics.records));
  add("accesses of warps", count(statistics.accesses));
  const Lap* run = find_lap(statistics, phase::kRun);
  if (run != nullptr && run->wall_seconds > 0) {
    const double rate = static_cast<double>(statistics.accesses) / run->wall_seconds;
    add("accesses per second of run and replay",
        Cell(group_thousands(static_cast<int64_t>(rate)), rate, Fidelity::kMeasured));
  }
  return table;
}

}  // namespace warpledger::profile
