// Tensor memory through a warp's instructions: tcgen05.alloc, .dealloc, .relinquish_alloc_permit,
// .ld, .st and their waits.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/tensor_operand.h"
#include "warpledger/exec/interpreter/async/tensor_work.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/matrix.h"
#include "warpledger/exec/semantics/tensor_transfer.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

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

struct Transfer : TensorTransfer {
  std::span<const Value> values;
};

bool is_load(const Step& step) { return step.spelling().op() == Op::kTcgen05Ld; }

/// Operands: registers, address{, split} (ld); address{, split}, registers (st).
Transfer transfer_of(const Context& context, const Step& step) {
  const bool loads = is_load(step);
  const size_t address = loads ? 1 : 0, split = loads ? 2 : 1;
  Transfer transfer;
  transfer.at = tensor_address(context, step.operands[address], 0);
  transfer.shape = step.variant->get(Slot::kShape);
  if (transfer.shape == Modifier::k16x32bx2 && split < step.operands.size())
    transfer.split = static_cast<uint32_t>(step.operands[split].value);
  transfer.packed =
      step.variant->has(Modifier::kPack16b) || step.variant->has(Modifier::kUnpack16b);
  transfer.values = context.elements(loads ? step.operands[0] : step.operands.back());
  transfer.registers = static_cast<uint32_t>(transfer.values.size());
  return transfer;
}

/// False after a fault. What passes is in the trace.
bool check_transfer(const Context& context, const Step& step, const Transfer& transfer) {
  std::string why = transfer.lane_fault(context.warp.index);
  const char* code = why.empty() ? "out-of-bounds" : "bad-tensor-lane";
  if (why.empty()) why = transfer.column_fault(context.cta.tensor);
  if (!why.empty()) return context.fault(step, 0, why, code), false;
  const uint32_t columns = transfer.extent().column;
  if (!is_quiet(context, step, transfer.at.column, columns)) return false;
  record_cells(context, step, 0, transfer.at, columns,
               uint64_t{kWarpTensorLanes} * 4 * transfer.registers);
  return true;
}

template <class F>
void each_register(const Transfer& transfer, F f) {
  for (uint32_t r = 0; r < transfer.registers; ++r)
    for (uint32_t lane = 0; lane < kWarpTensorLanes; ++lane) f(transfer.values[r], lane, r);
}

/// f(the register's lanes, their cells) for each register, where the transfer is plain. False, and
/// nothing done, where it is not, or a register is none.
template <class F>
bool each_plain_register(const Context& context, const Transfer& transfer, F f) {
  const auto is_none = [&](const Value& value) { return row_of(context, value) == nullptr; };
  if (!transfer.is_plain() || std::ranges::any_of(transfer.values, is_none)) return false;
  for (uint32_t r = 0; r < transfer.registers; ++r)
    f(row_of(context, transfer.values[r]),
      context.cta.tensor.lanes(transfer.at.lane, transfer.at.column + r, kWarpTensorLanes));
  return true;
}

void load_cells(const Context& context, const Transfer& transfer) {
  const auto load = [](uint64_t* to, std::span<const uint32_t> from) {
    std::ranges::copy(from, to);
  };
  if (each_plain_register(context, transfer, load)) return;
  TensorMemory& tensor = context.cta.tensor;
  each_register(transfer, [&](const Value& value, uint32_t lane, uint32_t r) {
    context.write(value, static_cast<int>(lane), transfer.load(tensor, lane, r));
  });
}

void store_cells(const Context& context, const Transfer& transfer) {
  const auto store = [](const uint64_t* from, std::span<uint32_t> to) {
    for (uint32_t& cell : to) cell = static_cast<uint32_t>(*from++);
  };
  if (each_plain_register(context, transfer, store)) return;
  TensorMemory& tensor = context.cta.tensor;
  each_register(transfer, [&](const Value& value, uint32_t lane, uint32_t r) {
    const uint64_t word = context.read(value, static_cast<int>(lane));
    transfer.store(tensor, lane, r, static_cast<uint32_t>(word));
  });
}

Outcome run_transfer(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!needs_whole_warp(context, step)) return Outcome::kStay;
  const Transfer transfer = transfer_of(context, step);
  if (!check_transfer(context, step, transfer)) return Outcome::kStay;
  if (step.dropped) return Outcome::kNext;
  if (is_load(step)) {
    load_cells(context, transfer);
  } else {
    store_cells(context, transfer);
  }
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
      {Op::kTcgen05Ld, run_transfer},   {Op::kTcgen05RelinquishAllocPermit, run_relinquish},
      {Op::kTcgen05St, run_transfer},   {Op::kTcgen05Wait, run_nothing},
      {Op::kTcgen05Fence, run_nothing},
  };
  // .ld.red, of later architectures, has no Count slot in common with .ld: it is refused by name.
  const bool reduces = spelling.op() == Op::kTcgen05Ld && spelling.type() != ptx::Type::kB32;
  return reduces ? nullptr : find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
