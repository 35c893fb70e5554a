#include "warpledger/layout/reduce.h"

#include <fmt/core.h>

#include "warpledger/layout/elimination.h"

namespace warpledger {
namespace {

/// The vectors to combine along, register vectors first; together with the replicated ones they
/// span everything that leaves the kept coordinate alone.
struct Directions {
  std::vector<uint64_t> registers;
  std::vector<uint64_t> lanes;  // packed (register, lane)
};

Directions find_directions(const LinearMap& map, const LinearMap& kept) {
  const int registers = map.from().bits_of(0);
  Directions directions;
  Elimination span(kernel(map));  // copies: combining them would count twice
  const LinearMap registers_kept = restrict_inputs(kept, {"register"});
  for (const uint64_t vector : kernel(registers_kept)) {
    if (span.add(vector)) directions.registers.push_back(vector);
  }
  for (const uint64_t vector : kernel(kept)) {
    if (vector >> registers != 0 && span.add(vector)) directions.lanes.push_back(vector);
  }
  return directions;
}

/// Registers that hold the same result share a class; the lowest of each is its representative.
std::vector<uint64_t> classes_of(const Directions& directions, const LinearMap& map) {
  std::vector<uint64_t> joined = directions.registers;
  const LinearMap registers = restrict_inputs(map, {"register"});
  for (const uint64_t copy : kernel(registers)) joined.push_back(copy);
  const auto count = static_cast<uint64_t>(registers.from().size());
  std::vector<uint64_t> representative(count);
  const Elimination span(joined);
  for (uint64_t r = 0; r < count; ++r) {
    representative[r] = r;
    for (uint64_t earlier = 0; earlier < r; ++earlier) {
      if (!span.contains(r ^ earlier)) continue;
      representative[r] = representative[earlier];
      break;
    }
  }
  return representative;
}

/// The values of a thread's registers while the program is written; a register that was combined
/// into another, or only repeats one, is no longer live.
struct Registers {
  std::vector<convert::Variable> value;
  std::vector<bool> live;
};

Registers start(const LinearMap& map) {
  const LinearMap registers = restrict_inputs(map, {"register"});
  const auto count = static_cast<size_t>(registers.from().size());
  Registers start{std::vector<convert::Variable>(count), std::vector<bool>(count, true)};
  for (size_t r = 0; r < count; ++r) start.value[r] = static_cast<convert::Variable>(r);
  for (const uint64_t copy : kernel(registers)) {
    for (size_t r = 0; r < count; ++r) start.live[r] = start.live[r] && r < (r ^ copy);
  }
  return start;
}

/// Pairwise along each direction, so that depth is logarithmic. Returns how many were combined.
int combine_in_thread(convert::Program& program, Registers& registers,
                      const std::vector<uint64_t>& directions) {
  int combined = 0;
  for (const uint64_t direction : directions) {
    for (uint64_t r = 0; r < registers.live.size(); ++r) {
      const uint64_t other = r ^ direction;
      if (!registers.live[r] || other < r || !registers.live[other]) continue;
      const convert::Variable to = program.fresh();
      program.operations.emplace_back(
          convert::Combine{to, registers.value[r], registers.value[other]});
      registers.value[r] = to;
      registers.live[other] = false;
      ++combined;
    }
  }
  return combined;
}

/// One exchange with lane ^ mask: everyone ends with the result, as with any butterfly.
void combine_across(convert::Program& program, Registers& registers,
                    const std::vector<uint64_t>& representative, uint64_t direction) {
  const uint64_t low = representative.size() - 1;
  const int mask = static_cast<int>(direction / representative.size());
  const std::vector<convert::Variable> before = registers.value;
  for (uint64_t r = 0; r < registers.live.size(); ++r) {
    if (!registers.live[r]) continue;
    const uint64_t partner = representative[r ^ (direction & low)];
    const convert::Variable arrived = program.fresh(), to = program.fresh();
    program.operations.emplace_back(convert::ShuffleXor{arrived, before[partner], mask});
    program.operations.emplace_back(convert::Combine{to, before[r], arrived});
    registers.value[r] = to;
  }
}

Status check_supported(const Fragment& fragment, const std::string& kept) {
  for (const uint64_t base : project_outputs(fragment.map, {kept}).bases_of("warp")) {
    if (base != 0) continue;
    return Diagnostic{.message = fmt::format("reducing '{}' to one value per {} crosses warps",
                                             fragment.name, kept),
                      .hint = "reduce each warp, then combine through shared memory",
                      .code = "unsupported-reduction"};
  }
  if (fragment.elements == fragment.map.from().size_of("register")) return {};
  return Diagnostic{
      .message = fmt::format("'{}' has {} elements per thread, which is not a power of two",
                             fragment.name, fragment.elements),
      .code = "unsupported-reduction"};
}

}  // namespace

Result<Reduction> synthesise_reduction(const Fragment& fragment, ReduceOver over) {
  const std::string kept = over == ReduceOver::kCol ? "row" : "col";
  WL_TRY_STATUS(check_supported(fragment, kept));
  const LinearMap map = restrict_inputs(fragment.map, {"register", "lane"});
  Reduction reduction;
  reduction.kept = project_outputs(map, {kept});
  const Directions directions = find_directions(map, reduction.kept);
  const std::vector<uint64_t> representative = classes_of(directions, map);
  convert::Program& program = reduction.program;
  program.inputs = program.variables = fragment.elements;
  Registers registers = start(map);
  reduction.in_thread = combine_in_thread(program, registers, directions.registers);
  for (const uint64_t direction : directions.lanes) {
    reduction.lane_masks.push_back(static_cast<int>(direction >> map.from().bits_of(0)));
    combine_across(program, registers, representative, direction);
  }
  for (uint64_t r = 0; r < registers.live.size(); ++r) {
    if (!registers.live[r]) continue;
    program.outputs.push_back(registers.value[r]);
    reduction.output_rows.push_back(static_cast<int>(reduction.kept(r)));
  }
  return reduction;
}

}  // namespace warpledger
