#include "warpledger/layout/reduce.h"

#include <fmt/format.h>

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

}  // namespace

Result<Reduction> synthesise_reduction(const Fragment& fragment, ReduceOver over) {
  const std::string kept_name = over == ReduceOver::kCol ? "row" : "col";
  for (const uint64_t base : project_outputs(fragment.map, {kept_name}).bases_of("warp")) {
    if (base == 0) {
      return Diagnostic{
          .message = fmt::format("reducing '{}' over its {}s crosses warps", fragment.name,
                                 over == ReduceOver::kCol ? "column" : "row"),
          .hint = "reduce each warp, then combine through shared memory",
          .code = "unsupported-reduction"};
    }
  }
  if (fragment.elements != fragment.map.from().size_of("register")) {
    return Diagnostic{.message = fmt::format("'{}' has {} elements a thread, no power of two",
                                             fragment.name, fragment.elements),
                      .code = "unsupported-reduction"};
  }
  const LinearMap map = restrict_inputs(fragment.map, {"register", "lane"});
  Reduction reduction;
  reduction.kept = project_outputs(map, {kept_name});
  const Directions directions = find_directions(map, reduction.kept);
  const std::vector<uint64_t> representative = classes_of(directions, map);
  convert::Program& program = reduction.program;
  program.inputs = program.variables = fragment.elements;
  std::vector<convert::Variable> value(representative.size(), -1);
  for (uint64_t r = 0; r < representative.size(); ++r) value[r] = static_cast<convert::Variable>(r);
  // In the thread: pairwise along each direction, so that depth is logarithmic.
  std::vector<bool> live(representative.size(), true);
  const LinearMap registers = restrict_inputs(map, {"register"});
  for (const uint64_t copy : kernel(registers)) {
    for (uint64_t r = 0; r < live.size(); ++r) live[r] = live[r] && r < (r ^ copy);
  }
  for (const uint64_t direction : directions.registers) {
    for (uint64_t r = 0; r < live.size(); ++r) {
      const uint64_t other = r ^ direction;
      if (!live[r] || other < r || !live[other]) continue;
      const convert::Variable to = program.fresh();
      program.operations.emplace_back(convert::Combine{to, value[r], value[other]});
      value[r] = to;
      live[other] = false;
      ++reduction.in_thread;
    }
  }
  // Across lanes: everyone ends with the result, as with any butterfly.
  const uint64_t low = representative.size() - 1;
  const int register_bits = map.from().bits_of(0);
  for (const uint64_t direction : directions.lanes) {
    const int mask = static_cast<int>(direction >> register_bits);
    reduction.lane_masks.push_back(mask);
    std::vector<convert::Variable> next = value;
    for (uint64_t r = 0; r < live.size(); ++r) {
      if (!live[r]) continue;
      const uint64_t partner = representative[r ^ (direction & low)];
      const convert::Variable arrived = program.fresh(), to = program.fresh();
      program.operations.emplace_back(convert::ShuffleXor{arrived, value[partner], mask});
      program.operations.emplace_back(convert::Combine{to, value[r], arrived});
      next[r] = to;
    }
    value = next;
  }
  for (uint64_t r = 0; r < live.size(); ++r) {
    if (!live[r]) continue;
    program.outputs.push_back(value[r]);
    reduction.output_rows.push_back(static_cast<int>(reduction.kept(r)));
  }
  return reduction;
}

}  // namespace warpledger
