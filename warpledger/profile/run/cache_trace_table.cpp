// A trace of the caches as a table.
#include <fmt/core.h>

#include <bit>

#include "warpledger/base/number.h"
#include "warpledger/profile/run/cache_trace.h"

namespace warpledger::profile {
namespace {

using memory::Action;
using memory::CacheAccess;
using memory::Look;

constexpr Fidelity kModeled = Fidelity::kModeled;

const char* words_of(Action action) {
  switch (action) {
    case Action::kStore:
      return "store";
    case Action::kUpdate:
      return "atomic";
    default:
      return "load";
  }
}

/// "0123", with a dot for each sector of the line that is not asked for.
std::string sectors_text(uint8_t sectors) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += sectors >> i & 1 ? static_cast<char>('0' + i) : '.';
  return text;
}

std::string outcome(uint8_t hit, uint8_t sectors) {
  if (hit == sectors) return "hit";
  return hit == 0 ? "miss"
                  : fmt::format("{} of {} hit", std::popcount(hit), std::popcount(sectors));
}

std::string l1_outcome(const CacheAccess& access) {
  if (access.passes_l1) return "passes";
  return outcome(access.l1_hit, access.sectors);
}

Cell number(uint64_t n) { return Cell(fmt::format("{}", n), static_cast<int64_t>(n), kModeled); }

/// Set, way and what was found in the L2; nothing for what the L1 answered.
void add_l2(const TracedAccess& traced, Row& row) {
  const CacheAccess& access = traced.access;
  if (access.l2.empty()) {
    row.cells.resize(row.cells.size() + 4);
    return;
  }
  const Look& near = access.l2.front();
  row.cells.push_back(number(near.set));
  row.cells.push_back(number(near.way));
  std::string found =
      access.action == Action::kStore
          ? "written"
          : outcome(near.valid & access.sectors & ~access.l1_hit, access.sectors & ~access.l1_hit);
  if (access.l2.size() > 1) {
    const Look& far = access.l2.back();
    found += fmt::format(", far {} {}: {}", far.set, far.way,
                         far.valid & access.sectors ? "hit" : "miss");
  }
  row.cells.emplace_back(found);
  row.cells.emplace_back(traced.l2_victim + (near.victim_dirty ? " (written back)" : ""));
}

}  // namespace

Table table_of(const CacheTrace& trace, const Profile& profile) {
  Table table{.title = "Cache lookups in replay order",
              .columns = {{"#", "number", Align::kRight},
                          {"Block", "block", Align::kRight},
                          {"Warp", "warp", Align::kRight},
                          {"PTX", "ptx_line", Align::kRight},
                          {"Access", "access"},
                          {"Line of 128 B", "line"},
                          {"Sectors", "sectors"},
                          {"L1 Set", "l1_set", Align::kRight},
                          {"Way", "l1_way", Align::kRight},
                          {"L1", "l1"},
                          {"Victim", "l1_victim"},
                          {"L2 Set", "l2_set", Align::kRight},
                          {"Way", "l2_way", Align::kRight},
                          {"L2", "l2"},
                          {"Victim", "l2_victim"}}};
  for (size_t i = 0; i < trace.accesses.size(); ++i) {
    const TracedAccess& traced = trace.accesses[i];
    const CacheAccess& access = traced.access;
    Row row{.cells = {number(i + 1), number(access.cta), number(access.warp),
                      number(profile.code_of(profile.instructions[access.site]).ptx_line),
                      words_of(access.action), traced.place, sectors_text(access.sectors)}};
    row.cells.push_back(access.passes_l1 ? Cell() : number(access.l1.set));
    row.cells.push_back(access.passes_l1 ? Cell() : number(access.l1.way));
    row.cells.emplace_back(l1_outcome(access));
    row.cells.emplace_back(traced.l1_victim);
    add_l2(traced, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> lines_of(const CacheTrace& trace, const Profile& profile) {
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{} on SM {}: {} lookups by {} block{}, of which the first {} are shown; order, "
                  "hits and victims are modeled",
                  to_text(trace.request.line), trace.request.sm,
                  group_thousands(static_cast<int64_t>(trace.seen)), trace.ctas,
                  trace.ctas == 1 ? "" : "s", trace.accesses.size()));
  if (trace.ctas == 0) lines.push_back("no block ran there: choose another SM with sm=NUMBER");
  if (profile.sampled) {
    lines.push_back(fmt::format("a sample of {} blocks was replayed; --exact runs all of them",
                                profile.sampled->simulated));
  }
  return lines;
}

}  // namespace warpledger::profile
