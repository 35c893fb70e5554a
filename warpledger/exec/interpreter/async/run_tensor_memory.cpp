// Tensor memory through a warp's instructions: tcgen05.alloc, .dealloc, .relinquish_alloc_permit,
// .ld, .st and their waits.
#include <fmt/core.h>

#include <cstring>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/tensor_operand.h"
#include "warpledger/exec/interpreter/async/tensor_work.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/matrix.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

constexpr uint32_t kWarpLanes = 32;  // of tensor memory that a warp reaches

void wake_allocators(Cta& cta) {
  ++cta.events;
  for (Warp& warp : cta.warps) {
    for (Fragment& fragment : warp.fragments) {
      if (fragment.wait == Fragment::Wait::kColumns) fragment.wait = Fragment::Wait::kReady;
    }
  }
}

Outcome run_alloc(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step) || !keeps_group(context, step)) return Outcome::kStay;
  TensorMemory& tensor = context.cta.tensor;
  const auto columns = static_cast<uint32_t>(context.read(step.operands[1], 0));
  const std::string why = tensor.check_alloc(columns);
  if (!why.empty()) {
    context.fault(step, 0, why, "bad-tensor-allocation");
    return Outcome::kStay;
  }
  const Space named = step.spelling().space();
  const SpaceAddress to = context.address(step.operands[0], named, 0);
  if (!is_shared(to.space)) {
    context.fault(step, 0, "tcgen05.alloc writes its address to shared memory", "bad-address");
    return Outcome::kStay;
  }
  std::byte* bytes = context.bytes(to, 4, 0, Access::kWrite);
  if (bytes == nullptr) return Outcome::kStay;
  const auto first = tensor.allocate(columns);
  if (!first) {
    context.here().wait = Fragment::Wait::kColumns;
    context.here().object = columns;
    return Outcome::kStay;
  }
  std::memcpy(bytes, &*first, sizeof *first);
  return Outcome::kNext;
}

Outcome run_dealloc(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step) || !keeps_group(context, step)) return Outcome::kStay;
  const TensorAddress at = TensorAddress::of(context.read(step.operands[0], 0));
  const auto columns = static_cast<uint32_t>(context.read(step.operands[1], 0));
  if (!is_quiet(context, step, at.column, columns)) return Outcome::kStay;
  const std::string why = context.cta.tensor.free(at.column, columns);
  if (!why.empty()) {
    context.fault(step, 0, why, "bad-tensor-allocation");
    return Outcome::kStay;
  }
  wake_allocators(context.cta);
  return Outcome::kNext;
}

Outcome run_relinquish(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step) || !keeps_group(context, step)) return Outcome::kStay;
  context.cta.tensor.relinquish();
  return Outcome::kNext;
}

/// Where register r of a lane lies in the warp's window (PTX ISA 9.1, 9.7.16.2.3.1).
struct Cell {
  uint32_t row = 0, column = 0;
};
Cell cell_of(Modifier shape, uint32_t lane, uint32_t r, uint32_t split) {
  switch (shape) {
    case Modifier::k16x64b:
      return {lane / 4 + 8 * (lane & 1), (lane / 2 & 1) + 2 * r};
    case Modifier::k16x128b:
      return {lane / 4 + 8 * (r & 1), (lane & 3) + 4 * (r / 2)};
    case Modifier::k16x256b:
      return {lane / 4 + 8 * (r / 2 & 1), (r & 1) + 2 * (lane & 3) + 8 * (r / 4)};
    case Modifier::k16x32bx2:
      return {lane & 15, r + (lane < 16 ? 0 : split)};
    default:
      return {lane, r};
  }
}

struct Transfer {
  TensorAddress at;
  Modifier shape = Modifier::k32x32b;
  uint32_t split = 0;
  bool packed = false;  // two adjacent columns' low halves in a register
  std::span<const Value> registers;
};

/// Operands: registers, address{, split} (ld); address{, split}, registers (st).
Transfer transfer_of(const Context& context, const Step& step) {
  const bool loads = step.spelling().op() == Op::kTcgen05Ld;
  const size_t address = loads ? 1 : 0, split = loads ? 2 : 1;
  Transfer transfer{.at = tensor_address(context, step.operands[address], 0),
                    .shape = step.variant->get(Slot::kShape)};
  if (transfer.shape == Modifier::k16x32bx2 && split < step.operands.size())
    transfer.split = static_cast<uint32_t>(step.operands[split].value);
  transfer.packed =
      step.variant->has(Modifier::kPack16b) || step.variant->has(Modifier::kUnpack16b);
  transfer.registers = context.elements(loads ? step.operands[0] : step.operands.back());
  return transfer;
}

/// Rows and columns that it spans. The last four registers reach as far as any: columns grow with
/// r, and rows repeat every four at most.
Cell extent_of(const Transfer& transfer) {
  const auto registers = static_cast<uint32_t>(transfer.registers.size());
  Cell extent;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    for (uint32_t r = registers - std::min(registers, 4u); r < registers; ++r) {
      const Cell cell = cell_of(transfer.shape, lane, r, transfer.split);
      extent.row = std::max(extent.row, cell.row + 1);
      extent.column = std::max(extent.column, (cell.column + 1) * (transfer.packed ? 2 : 1));
    }
  }
  return extent;
}

/// False after a fault. What passes is in the trace.
bool check_transfer(const Context& context, const Step& step, const Transfer& transfer) {
  if (transfer.split >= kTensorColumns) {  // its sums would wrap
    context.fault(step, 0, fmt::format("halves that are {} columns apart", transfer.split),
                  "out-of-bounds");
    return false;
  }
  const auto [rows, columns] = extent_of(transfer);
  const uint32_t first = context.warp.index % 4 * kWarpLanes;
  if (transfer.at.lane < first || transfer.at.lane + rows > first + kWarpLanes) {
    context.fault(step, 0,
                  fmt::format("warp {} reaches lanes {} to {} of tensor memory, not {} of them "
                              "from lane {} on",
                              context.warp.index, first, first + 31, rows, transfer.at.lane),
                  "bad-tensor-lane");
    return false;
  }
  if (!context.cta.tensor.is_allocated(transfer.at.column, columns)) {
    context.fault(step, 0,
                  fmt::format("columns {} to {} of tensor memory are not allocated",
                              transfer.at.column, transfer.at.column + columns - 1),
                  "out-of-bounds");
    return false;
  }
  if (!is_quiet(context, step, transfer.at.column, columns)) return false;
  record_cells(context, step, 0, transfer.at, columns,
               uint64_t{kWarpLanes} * 4 * transfer.registers.size());
  return true;
}

template <class F>
void each_cell(const Transfer& transfer, F f) {
  for (uint32_t r = 0; r < transfer.registers.size(); ++r) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const Cell cell = cell_of(transfer.shape, lane, r, transfer.split);
      const uint32_t column = transfer.at.column + cell.column * (transfer.packed ? 2 : 1);
      f(transfer.registers[r], static_cast<int>(lane), transfer.at.lane + cell.row, column);
    }
  }
}

Outcome run_load(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const Transfer transfer = transfer_of(context, step);
  if (!check_transfer(context, step, transfer)) return Outcome::kStay;
  if (step.dropped) return Outcome::kNext;
  TensorMemory& tensor = context.cta.tensor;
  each_cell(transfer, [&](const Value& value, int lane, uint32_t row, uint32_t column) {
    uint64_t word = tensor.cell(row, column);
    if (transfer.packed) word = (word & 0xffff) | uint64_t{tensor.cell(row, column + 1)} << 16;
    context.write(value, lane, word);
  });
  return Outcome::kNext;
}

Outcome run_store(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const Transfer transfer = transfer_of(context, step);
  if (!check_transfer(context, step, transfer)) return Outcome::kStay;
  if (step.dropped) return Outcome::kNext;
  TensorMemory& tensor = context.cta.tensor;
  each_cell(transfer, [&](const Value& value, int lane, uint32_t row, uint32_t column) {
    const auto word = static_cast<uint32_t>(context.read(value, lane));
    tensor.cell(row, column) = transfer.packed ? word & 0xffff : word;
    if (transfer.packed) tensor.cell(row, column + 1) = word >> 16;
  });
  return Outcome::kNext;
}

// Loads and stores are done when issued. Compilers read the registers of a load before its wait and
// leave it to ptxas to order them: nothing is watched here.
Outcome run_nothing(Context&, const Step&) { return Outcome::kNext; }

}  // namespace

TensorAddress tensor_address(const Context& context, const Value& value, int lane) {
  const uint64_t base =
      value.kind == Value::Kind::kIndirect ? context.read_word(value, lane, 0) : 0;
  return TensorAddress::of((base + value.value) & 0xffffffff);
}

bool keeps_group(const Context& context, const Step& step) {
  const int group = step.variant->has(Modifier::kCtaGroup2) ? 2 : 1;
  int& first = context.cta.tensor.cta_group;
  if (first == 0) first = group;
  if (first == group) return true;
  context.fault(step, __builtin_ctz(context.lanes),
                "a kernel uses one .cta_group in all its tcgen05 instructions", "mixed-cta-groups");
  return false;
}

bool is_quiet(const Context& context, const Step& step, uint32_t column, uint32_t columns) {
  const Step* writer = writer_of(context.cta, column, columns);
  if (writer == nullptr && context.engine.cluster_size() > 1 && context.cta.tensor.cta_group == 2) {
    const Cta* peer = peer_of(context.engine, context.cta, context.cta.rank ^ 1);
    if (peer != nullptr) writer = writer_of(*peer, column, columns);
  }
  if (writer == nullptr) return true;
  const auto at = context.engine.image().module().source->locate(writer->instruction->span);
  context.fault(step, __builtin_ctz(context.lanes),
                fmt::format("touches tensor memory that '{}' of line {} still writes",
                            writer->spelling().text, at.line),
                "tensor-work-in-flight",
                "a tcgen05.commit and a wait on its mbarrier must come first");
  return false;
}

Execute find_tensor_memory(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kTcgen05Alloc, run_alloc},   {Op::kTcgen05Dealloc, run_dealloc},
      {Op::kTcgen05Ld, run_load},       {Op::kTcgen05RelinquishAllocPermit, run_relinquish},
      {Op::kTcgen05St, run_store},      {Op::kTcgen05Wait, run_nothing},
      {Op::kTcgen05Fence, run_nothing},
  };
  // .ld.red, of later architectures, has no Count slot in common with .ld: it is refused by name.
  const bool reduces = spelling.op() == Op::kTcgen05Ld && spelling.type() != ptx::Type::kB32;
  return reduces ? nullptr : find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
