// A unit outside the L1 that is busy for most of the launch: what it does there, and what would
// help. The L1 has a finding of its own (finding_limit.cpp), which knows its lines.
#include <fmt/format.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/base/units.h"
#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

constexpr size_t kShownOpcodes = 3;

/// What helps, by the counter that a unit goes by.
struct Remedy {
  const char* counter;
  FindingCode code;
  const char* text;
  Topic topic = Topic::kOther;
};
constexpr Remedy kRemedies[] = {
    {"sm__pipe_fma", FindingCode::kComputeBound,
     "the arithmetic itself is the limit: fewer operations (common factors, strength reduction, "
     "less "
     "index arithmetic), half precision (two operations per lane), tensor cores for matrix "
     "products"},
    {"sm__pipe_integer_multiply", FindingCode::kComputeBound,
     "fewer integer multiplications: walk pointers instead of computing indices, hoist what does "
     "not "
     "change, shift by powers of two, 32-bit instead of 64-bit products"},
    {"sm__pipe_alu", FindingCode::kComputeBound,
     "fewer integer and logic instructions: hoist index arithmetic out of loops, unroll, 32-bit "
     "indices, fewer comparisons and selections"},
    {"sm__pipe_xu", FindingCode::kComputeBound,
     "fewer special functions and conversions: intrinsics (__expf, __fdividef), reciprocals that "
     "are "
     "reused, no conversion between integers and floating point in the loop, no integer division"},
    {"sm__pipe_fp64", FindingCode::kComputeBound,
     "single precision where accuracy allows it (look for constants without an f), or a GPU with "
     "more FP64 lanes"},
    {"sm__pipe_tensor", FindingCode::kComputeBound,
     "the tensor cores are near their roof: a smaller type (FP16, FP8, INT8) or structured "
     "sparsity; "
     "else fewer operations"},
    {"sm__ptx_instructions", FindingCode::kIssueBound,
     "fewer instructions: wider loads and stores, unrolled loops, less index arithmetic, packed "
     "half "
     "precision"},
    {"sm__pipe_barrier", FindingCode::kBarrierBound,
     "fewer barriers: larger steps between them, warp-level exchanges instead"},
    {"dram__row", FindingCode::kDramBound,
     "access longer contiguous ranges at a time: make tiles wider along contiguous memory, assign "
     "blocks in address order, store the data of one block together",
     Topic::kDram},
    {"dram__", FindingCode::kDramBound,
     "move fewer bytes: fuse this kernel with the one before or after it, use smaller types, keep "
     "reused data in shared memory or registers; otherwise the kernel is at the roof",
     Topic::kDram},
    {"fbpa__", FindingCode::kDramBound,
     "move fewer bytes: fuse this kernel with the one before or after it, use smaller types, keep "
     "reused data in shared memory or registers; otherwise the kernel is at the roof",
     Topic::kDram},
    {"lts__hottest_atomic", FindingCode::kAtomicBound,
     "add within the block first, and update memory once per block", Topic::kAtomics},
    {"lts__", FindingCode::kL2Bound,
     "request less from the L2: keep tiles in shared memory or registers, so that reused data does "
     "not come from the L2; access whole sectors per request",
     Topic::kL2},
    {"l1tex__m_", FindingCode::kL2Bound,
     "request less from the L2: keep tiles in shared memory or registers, so that reused data does "
     "not come from the L2; access whole sectors per request",
     Topic::kL2},
    {"l1tex__t_output", FindingCode::kTagBound,
     "touch fewer lines per request: adjacent lanes should access adjacent addresses",
     Topic::kTags},
};

const Remedy* remedy_of(const UnitLoad& load) {
  for (const Remedy& remedy : kRemedies) {
    if (load.counter.starts_with(remedy.counter)) return &remedy;
  }
  return nullptr;
}

/// "FFMA 61 %, IMAD 20 %, ISETP 5 % of the machine instructions"
std::string busiest_opcodes(const Machine& machine) {
  std::vector<std::pair<uint64_t, std::string>> opcodes;
  for (const auto& [opcode, count] : machine.opcodes) opcodes.emplace_back(count, opcode);
  std::sort(opcodes.begin(), opcodes.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (opcodes.size() > kShownOpcodes) opcodes.resize(kShownOpcodes);
  std::vector<std::string> parts;
  const auto all = static_cast<double>(std::max<uint64_t>(1, machine.instructions));
  for (const auto& [count, opcode] : opcodes) {
    parts.push_back(fmt::format("{} {:.0f} %", opcode, 100 * static_cast<double>(count) / all));
  }
  return fmt::format("{} of the machine instructions", fmt::join(parts, ", "));
}

/// The line that most instructions are issued for, and its share.
std::pair<SourceLine, double> hottest_line(const Profile& profile) {
  std::map<SourceLine, uint64_t> issued;
  uint64_t all = 0;
  for (const CodeLine& line : profile.code) {
    const uint64_t slots = profile.machine ? line.issued : line.executions;
    issued[line.source] += slots;
    all += slots;
  }
  const auto most =
      std::max_element(issued.begin(), issued.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (all == 0) return {};
  return {most->first, static_cast<double>(most->second) / static_cast<double>(all)};
}

void describe_arithmetic(const Profile& profile, Finding& finding) {
  if (profile.machine && !profile.machine->opcodes.empty()) {
    finding.because.push_back(busiest_opcodes(*profile.machine));
  }
  const auto [line, share] = hottest_line(profile);
  if (line.line == 0) return;
  finding.where = line;
  finding.because.push_back(
      fmt::format("{:.0f} % of the instructions are at {}", 100 * share, to_text(line)));
}

void describe_rows(const memory::DramCounters& dram, Finding& finding) {
  if (dram.opened_rows == 0) return;
  const auto moved = static_cast<double>(kSectorBytes * (dram.read_sectors + dram.write_sectors));
  finding.because.push_back(
      fmt::format("DRAM activates a row for every {} that it transfers (modeled)",
                  bytes_in_words(moved / static_cast<double>(dram.opened_rows))));
}

void describe_memory(const Evidence& evidence, Finding& finding) {
  const memory::DramCounters& dram = evidence.counters.dram;
  const auto bytes = [](uint64_t sectors) {
    return bytes_in_words(static_cast<double>(kSectorBytes * sectors));
  };
  if (finding.topic == Topic::kDram) {
    finding.because.push_back(
        fmt::format("{} read and {} written (modeled), of {} and {} different",
                    bytes(dram.read_sectors), bytes(dram.write_sectors),
                    bytes(dram.unique_read_sectors), bytes(dram.unique_written_sectors)));
    describe_rows(dram, finding);
  } else {
    finding.because.push_back(fmt::format("{} between L1 and L2, {} between L2 and DRAM (modeled)",
                                          bytes(evidence.counters.l2.sm_sectors()),
                                          bytes(dram.read_sectors + dram.write_sectors)));
  }
}

}  // namespace

std::optional<FindingCode> rule_of(const Limit& limit) {
  if (limit.kind == Limit::Kind::kNone) return {};
  if (limit.kind == Limit::Kind::kLatency) return FindingCode::kLatencyBound;
  if (limit.kind == Limit::Kind::kHost) return FindingCode::kHostMemory;
  if (is_l1_side(*limit.busiest)) return FindingCode::kLsuBound;
  const Remedy* remedy = remedy_of(*limit.busiest);
  return remedy == nullptr ? std::nullopt : std::optional(remedy->code);
}

void find_unit_bound(const Evidence& evidence, std::vector<Finding>& findings) {
  const Limit limit = find_limit(evidence);
  // Without a time model, it is not known how long the busiest unit is busy.
  if (limit.kind != Limit::Kind::kUnit || limit.share == 0) return;
  const Remedy* remedy = remedy_of(*limit.busiest);
  if (remedy == nullptr) return;
  const bool is_said = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.topic == Topic::kAtomics && remedy->topic == Topic::kAtomics;
  });
  if (is_said) return;
  Finding finding{.code = to_text(remedy->code),
                  .title = fmt::format("The {} {} the limit: busy for {:.0f} % of the launch "
                                       "(modeled)",
                                       limit.busiest->unit, limit.busiest->is_plural ? "are" : "is",
                                       100 * limit.share),
                  .remedy = remedy->text,
                  .is_limit = true,
                  .topic = remedy->topic};
  const bool computes = limit.busiest->counter.starts_with("sm__");
  if (computes) {
    describe_arithmetic(evidence.profile, finding);
  } else {
    describe_memory(evidence, finding);
  }
  findings.push_back(std::move(finding));
}

}  // namespace warpledger::profile
