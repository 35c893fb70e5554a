#include "warpledger/profile/advice/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"
#include "warpledger/profile/advice/kind.h"

namespace warpledger::profile {
namespace {

/// Requests to arrays, whose texel addresses are assumed (exec/decode/texel_layout.h).
uint64_t assumed_requests(const Profile& profile) {
  return sum_where({profile, profile.counters},
                   [](const trace::Site& site) { return site.assumed_layout; })
      .request.requests;
}

using memory::SiteCounters;
using trace::Space;

constexpr size_t kShownUnits = 5;

Cell bytes_cell(uint64_t bytes, Fidelity fidelity) {
  return bytes == 0 ? Cell("-")
                    : Cell(bytes_in_words(static_cast<double>(bytes)), static_cast<int64_t>(bytes),
                           fidelity);
}

struct Asked {
  uint64_t read = 0, written = 0;  // bytes of lanes
  Fidelity fidelity = Fidelity::kExact;
};
Asked asked_in(const Profile& profile, bool shared) {
  Asked asked{.fidelity = profile.counted_as()};
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const Instruction& instruction = profile.instructions[i];
    const trace::Site& site = instruction.site;
    const uint64_t bytes = profile.counters.sites[i].request.lanes * site.width;
    const bool here = shared ? site.space == Space::kShared : is_far(site);
    const std::optional<bool> reads = is_load(site);
    if (!here || !reads) continue;
    (*reads ? asked.read : asked.written) += bytes;
    if (is_mapped(instruction) && bytes > 0)
      asked.fidelity = weakest(asked.fidelity, Fidelity::kModeled);
  }
  return asked;
}

/// What copy engine and tensor cores move; nothing where they move nothing.
void add_engines(const Profile& profile, Table& table) {
  using trace::Kind;
  const auto of = [&](Space space, auto... kinds) {
    return bytes_moved({profile, profile.counters}, space, {kinds...});
  };
  const Space shared = Space::kShared, tensor = Space::kTensor;
  const auto add = [&](const char* between, uint64_t read, uint64_t written, Fidelity fidelity) {
    if (read + written == 0) return;
    table.rows.push_back(
        {.cells = {between, bytes_cell(read, fidelity), bytes_cell(written, fidelity), ""}});
  };
  const Fidelity counted = profile.counted_as(), modeled = Fidelity::kModeled;
  add("threads and tensor memory", of(tensor, Kind::kLoad), of(tensor, Kind::kStore), counted);
  add("tensor cores and tensor memory", of(tensor, Kind::kMatrixOperand, Kind::kMatrixAddend),
      of(tensor, Kind::kMatrixResult, Kind::kTensorCopy), modeled);
  add("tensor cores and shared memory", of(shared, Kind::kMatrixOperand, Kind::kTensorCopy), 0,
      modeled);
  add("copy engine and shared memory", of(shared, Kind::kBulkStore, Kind::kBulkReduction),
      of(shared, Kind::kBulkCopy), counted);
}

/// Which sectors a cache holds depends on the order of the accesses: a hit rate is modeled.
Cell hit_rate(uint64_t part, uint64_t whole, const char* where) {
  if (whole == 0) return "";
  const std::string text =
      fmt::format("{} hit rate: {:.1f} %", where,
                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return {text, text, Fidelity::kModeled};
}

}  // namespace

std::string dims(const Extent& extent) {
  std::string text = std::to_string(extent[0]);
  if (extent[1] > 1 || extent[2] > 1) text += fmt::format("x{}", extent[1]);
  if (extent[2] > 1) text += fmt::format("x{}", extent[2]);
  return text;
}

namespace {

std::string prefix_line(const PrefixNote& prefix) {
  return fmt::format(
      "sampled: the caches saw the first {} of {} accesses, and the others were counted; hit "
      "rates, "
      "bytes of L2 and DRAM and time are extrapolated, with their range in brackets; --exact "
      "models "
      "all (about {:.0f} s of one thread)",
      group_thousands(static_cast<int64_t>(prefix.modeled)),
      group_thousands(static_cast<int64_t>(prefix.counted)), prefix.exact_seconds);
}

}  // namespace

std::vector<std::string> headline(const Profile& profile) {
  std::vector<std::string> lines;
  const auto plural = [](int64_t count) { return count == 1 ? "" : "s"; };
  const Extent& block = profile.launch.block;
  lines.push_back(fmt::format(
      "{} on {} ({}): {} block{} of {} thread{}, {} register{} per thread ({}), {} block{} at a "
      "time per SM",
      short_name(profile.kernel), profile.gpu.name, profile.gpu.architecture.id,
      dims(profile.launch.grid), plural(profile.statistics.blocks), dims(block),
      plural(block[0] * block[1] * block[2]), profile.launch.registers_per_thread,
      plural(profile.launch.registers_per_thread), profile.resources.source,
      profile.statistics.blocks_per_sm, plural(profile.statistics.blocks_per_sm)));
  if (!profile.machine) {
    lines.push_back(fmt::format("instruction counts are PTX, not SASS{}",
                                profile.no_machine == kNoSass ? fmt::format(" ({})", kNoSass)
                                : profile.no_machine.empty()  ? ": ptxas was not run"
                                                              : ": " + profile.no_machine));
  }
  if (profile.engine.starts_with("machine code")) {
    lines.push_back("ran as machine code: every count is of instructions that were executed");
  }
  if (profile.engine.starts_with("interpreted: ")) {
    lines.push_back("interpreted (slow): " + profile.engine.substr(profile.engine.find(' ') + 1));
  }
  if (const uint64_t requests = assumed_requests(profile); requests != 0) {
    lines.push_back(
        fmt::format("{} texture and surface requests go to CUDA arrays, whose memory layout NVIDIA "
                    "does not publish: their sectors and hits are assumed",
                    group_thousands(static_cast<int64_t>(requests))));
  }
  if (profile.states && !profile.no_states.empty()) {
    lines.push_back(
        fmt::format("warp states do not include waits for {} (not modeled): warps stall longer "
                    "than shown",
                    profile.no_states));
  }
  if (!profile.policy.flush_caches) {
    lines.push_back("the L2 starts with what a previous run of the same launch left");
  }
  if (profile.sampled) {
    const SampleNote& sample = *profile.sampled;
    lines.push_back(fmt::format(
        "sampled: {} of {} blocks went through the memory model, and {} represent the accesses of "
        "all; every counter is modeled, with its range in brackets; --exact runs all blocks "
        "(about {:.0f} s of one thread)",
        group_thousands(static_cast<int64_t>(sample.simulated)),
        group_thousands(profile.statistics.blocks), sample.counted, sample.exact_seconds));
  }
  if (profile.prefix) lines.push_back(prefix_line(*profile.prefix));
  return lines;
}

Table journey(const Profile& profile) {
  const Evidence evidence{profile, profile.counters};
  const auto modeled = Fidelity::kModeled;
  Table table{.title = "Where the bytes go",
              .columns = {{"between", "between"},
                          {"read", "read_bytes", Align::kRight},
                          {"written", "written_bytes", Align::kRight},
                          {"", "found"}}};
  const Asked shared = asked_in(profile, true), global = asked_in(profile, false);
  const SiteCounters l1 = sum_of_l1(evidence);
  const L2Work l2 = l2_work(evidence);
  const memory::DramCounters& dram = profile.counters.dram;
  if (shared.read + shared.written > 0) {
    table.rows.push_back(
        {.cells = {"threads and shared memory", bytes_cell(shared.read, shared.fidelity),
                   bytes_cell(shared.written, shared.fidelity), ""}});
  }
  add_engines(profile, table);
  table.rows.push_back({.cells = {"threads and L1", bytes_cell(global.read, global.fidelity),
                                  bytes_cell(global.written, global.fidelity),
                                  hit_rate(l1.l1_hit_sectors, l1.request.sectors, "L1")}});
  table.rows.push_back(
      {.cells = {"L1 and L2", bytes_cell(kSectorBytes * l2.reads.l2_sectors, modeled),
                 bytes_cell(kSectorBytes * (l2.total().l2_sectors - l2.reads.l2_sectors), modeled),
                 hit_rate(profile.counters.l2.hits(), profile.counters.l2.lookups(), "L2")}});
  table.rows.push_back(
      {.cells = {"L2 and DRAM", bytes_cell(kSectorBytes * dram.read_sectors, modeled),
                 bytes_cell(kSectorBytes * dram.write_sectors, modeled), ""}});
  return table;
}

namespace {

/// How long the busiest unit and the next are busy, and what is the limit if not the first.
std::string limit_sentence(const Profile& profile, const std::vector<UnitLoad>& loads) {
  const double elapsed = profile.timing->elapsed_cycles;
  const auto share = [elapsed](const UnitLoad& load) { return 100 * load.cycles / elapsed; };
  const std::string next =
      loads.size() > 1 ? fmt::format("; next: {}, {:.0f} %", loads[1].unit, share(loads[1])) : "";
  const Limit limit = find_limit({profile, profile.counters});
  const char* verdict = limit.kind == Limit::Kind::kLatency
                            ? "; the limit is latency: waits, start and tail"
                        : limit.kind == Limit::Kind::kHost
                            ? "; the limit is host memory over the bus, whose time is not modeled"
                            : "";
  return fmt::format("{} {} busy {:.0f} % of {} modeled cycles{}{}", loads.front().unit,
                     loads.front().is_plural ? "are" : "is", share(loads.front()),
                     in_words(elapsed), next, verdict);
}

}  // namespace

std::string limit_of(const Profile& profile) {
  return find_limit({profile, profile.counters}).name();
}

Table busiest_units(const Profile& profile) {
  Table table{.title = "Bottleneck: minimum busy time per unit",
              .columns = {{"unit", "unit"},
                          {"cycles", "cycles", Align::kRight},
                          {"of the busiest", "percent", Align::kRight}}};
  const std::vector<UnitLoad> loads = unit_loads({profile, profile.counters});
  for (size_t i = 0; i < std::min(loads.size(), kShownUnits); ++i) {
    const double percent = 100 * loads[i].cycles / loads.front().cycles;
    table.rows.push_back(
        {.cells = {loads[i].unit,
                   Cell(in_words(loads[i].cycles), loads[i].cycles, Fidelity::kModeled),
                   Cell(fmt::format("{:.0f} %", percent), percent, Fidelity::kModeled)}});
  }
  if (profile.timing && !loads.empty()) table.notes.push_back(limit_sentence(profile, loads));
  // The published reports were compared with machine code.
  if (profile.timing && profile.machine) {
    if (const KindError* error = find_error(kind_of({profile, profile.counters})))
      table.notes.push_back("expected error of the time: " + to_text(*error));
  }
  if (!profile.machine) table.notes.push_back("arithmetic pipe use is estimated from PTX");
  return table;
}

std::string to_text(const std::vector<Finding>& findings) {
  if (findings.empty()) return "Nothing stands out: no access wastes much.\n";
  std::string text = "What to do\n";
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    const std::string line = to_text(finding.where);
    const bool named = line.empty() || finding.title.find(line) != std::string::npos;
    text +=
        fmt::format("{}. {}{}\n", i + 1, finding.title, named ? "" : fmt::format(" [{}]", line));
    for (const std::string& cause : finding.because) text += fmt::format("   {}\n", cause);
    text += fmt::format("   What helps: {}\n", finding.remedy);
    if (!finding.gain.empty()) text += fmt::format("   {}\n", finding.gain);
  }
  return text;
}

Table table_of(const std::vector<Finding>& findings) {
  Table table{.title = "Findings",
              .columns = {{"finding", "code"},
                          {"where", "where"},
                          {"what", "title"},
                          {"because", "because"},
                          {"what helps", "remedy"},
                          {"saves up to", "saving_percent", Align::kRight}}};
  for (const Finding& finding : findings) {
    table.rows.push_back(
        {.cells = {finding.code, to_text(finding.where), finding.title,
                   fmt::format("{}", fmt::join(finding.because, "; ")), finding.remedy,
                   Cell(fmt::format("{:.0f} %", 100 * finding.saving), 100 * finding.saving,
                        Fidelity::kModeled)}});
  }
  return table;
}

}  // namespace warpledger::profile
