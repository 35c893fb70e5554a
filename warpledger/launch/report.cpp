#include "warpledger/launch/report.h"

#include <fmt/core.h>

#include "warpledger/base/number.h"
#include "warpledger/ptx/opcode.h"

namespace warpledger::exec {
namespace {

Cell exact(uint64_t count) { return Cell(static_cast<int64_t>(count), Fidelity::kExact); }
std::string grouped(uint64_t count) { return group_thousands(static_cast<int64_t>(count)); }

Table instruction_table(const Statistics& statistics) {
  Table table{.title = "Warp instructions by kind",
              .columns = {{"kind", "kind"}, {"instructions", "warp_instructions", Align::kRight}}};
  for (size_t i = 0; i < statistics.by_family.size(); ++i) {
    if (statistics.by_family[i] == 0) continue;
    table.rows.push_back(
        {{std::string(ptx::to_text(static_cast<ptx::Family>(i))), exact(statistics.by_family[i])}});
  }
  table.rows.push_back({{"TOTAL", exact(statistics.warp_instructions)}, true});
  return table;
}

Table access_table(const Statistics& statistics) {
  Table table{.title = "Accesses by space (warp instructions, lanes, bytes asked for)",
              .columns = {{"space", "space"},
                          {"loads", "loads", Align::kRight},
                          {"stores", "stores", Align::kRight},
                          {"atomics", "atomics", Align::kRight},
                          {"lanes", "lanes", Align::kRight},
                          {"bytes", "bytes", Align::kRight}}};
  constexpr const char* kSpaces[] = {"global", "shared", "local", "const"};
  for (size_t i = 0; i < 4; ++i) {
    const Statistics::Accesses& a = statistics.by_space[i];
    table.rows.push_back({{kSpaces[i], exact(a.loads), exact(a.stores), exact(a.atomics),
                           exact(a.lanes), exact(a.bytes)}});
  }
  return table;
}

}  // namespace

std::vector<Table> summarize(const Statistics& statistics) {
  return {instruction_table(statistics), access_table(statistics)};
}

std::string headline(const Launch& launch, const Statistics& statistics) {
  const double lanes = static_cast<double>(statistics.thread_instructions) /
                       static_cast<double>(std::max<uint64_t>(1, statistics.warp_instructions));
  return fmt::format(
      "kernel '{}': {} blocks, {} warps, {} warp instructions, {} lanes active of 32, {} divergent "
      "branches, "
      "{} barrier arrivals (exact)",
      launch.kernel, grouped(statistics.ctas), grouped(statistics.warps),
      grouped(statistics.warp_instructions), ncu_number(lanes),
      grouped(statistics.divergent_branches), grouped(statistics.barriers));
}

std::string to_text(const std::string& what, const Comparison& comparison) {
  if (comparison.different == 0) {
    return fmt::format("check {}: {} elements agree, largest error {:.3g}", what,
                       grouped(comparison.compared), comparison.largest_error);
  }
  const Mismatch& first = *comparison.first;
  return fmt::format(
      "check {}: {} of {} elements differ; the first is [{}] = {:.9g}, expected {:.9g}", what,
      grouped(comparison.different), grouped(comparison.compared), first.index, first.actual,
      first.expected);
}

}  // namespace warpledger::exec
