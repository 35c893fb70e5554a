// Tensor memory through a warp's instructions: UTCATOMSWS, LDTM and STTM.
//
// What ptxas makes of tcgen05.alloc keeps its books in the system's shared memory (shared.h); the
// columns themselves are given out and taken back by UTCATOMSWS, 32 of them a bit.
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/machine/tensor_work.h"
#include "warpledger/exec/semantics/tensor_transfer.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

constexpr uint32_t kUnits = kTensorColumns / kColumnUnit;

/// .FIND_AND_SET.ALIGN UP0, URd, URn: n units from a multiple of n on, of both blocks with .2CTA;
/// UP0 tells whether there was room.
void allocate(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  Lane lane(context, __builtin_ctz(lanes));
  const uint32_t columns = lane.word(operands[2]) * kColumnUnit;
  const std::string why = context.block->tensor.check_alloc(columns);
  if (!why.empty()) return context.stop_at(instruction, why, "bad-tensor-allocation");
  Block* pair = instruction.has(M::k2CTA) ? find_pair(context, instruction) : nullptr;
  if (context.fault) return;
  const auto first = context.block->tensor.allocate(columns);
  const auto other = first && pair != nullptr ? pair->tensor.allocate(columns) : first;
  if (first != other)
    return context.stop_at(instruction, "the blocks of the pair have allocated other columns",
                           "bad-tensor-allocation");
  lane.set_predicate(operands[0], first.has_value());
  if (first) lane.set(operands[1], *first / kColumnUnit);
}

/// .AND URZ, URm: units whose bit is not in m are free.
void free(Context& context, const Instruction& instruction, Lanes lanes) {
  constexpr uint32_t kAll = (1U << kUnits) - 1;
  const uint32_t units =
      ~Lane(context, __builtin_ctz(lanes)).word(instruction.operands.back()) & kAll;
  if (units == 0) return;
  const uint32_t first = static_cast<uint32_t>(__builtin_ctz(units)) * kColumnUnit;
  const uint32_t columns = static_cast<uint32_t>(__builtin_popcount(units)) * kColumnUnit;
  if (!is_quiet(context, instruction, first, columns)) return;
  const std::string why = context.block->tensor.free(first, columns);
  if (!why.empty()) return context.stop_at(instruction, why, "bad-tensor-allocation");
  ++context.block->cluster->events;
}

ptx::Modifier shape_of(const Instruction& instruction) {
  if (instruction.has(M::k16dp64bit)) return ptx::Modifier::k16x64b;
  if (instruction.has(M::k16dp128bit)) return ptx::Modifier::k16x128b;
  if (instruction.has(M::k16dp256bit)) return ptx::Modifier::k16x256b;
  const bool half = instruction.has(M::k16dp32bitLow) || instruction.has(M::k16dp32bitHigh);
  return half ? ptx::Modifier::k16x32bx2 : ptx::Modifier::k32x32b;
}

uint32_t registers_of(const Instruction& instruction) {
  static constexpr std::pair<M, uint32_t> kTimes[] = {{M::kx2, 2},    {M::kx4, 4},   {M::kx8, 8},
                                                      {M::kx16, 16},  {M::kx32, 32}, {M::kx64, 64},
                                                      {M::kx128, 128}};
  uint32_t registers = 1;
  for (const auto& [modifier, times] : kTimes)
    if (instruction.has(modifier)) registers = times;
  if (instruction.has(M::k16dp128bit)) registers *= 2;
  return instruction.has(M::k16dp256bit) ? 4 * registers : registers;
}

/// ptxas makes two instructions of .16x32bx2, one for each half of the lanes, which address the
/// same rows.
Lanes lanes_of(const Instruction& instruction) {
  if (instruction.has(M::k16dp32bitLow)) return 0x0000'ffff;
  return instruction.has(M::k16dp32bitHigh) ? 0xffff'0000 : ~Lanes{0};
}

/// Nothing after a fault.
std::optional<TensorTransfer> read_transfer(Context& context, const Instruction& instruction,
                                            Lanes lanes, const Operand& address) {
  if (lanes != ~Lanes{0}) {
    context.stop(instruction.text + " needs all lanes of the warp", "partial-warp");
    return {};
  }
  TensorTransfer transfer{
      .at = tensor_address(context, address),
      .shape = shape_of(instruction),
      .registers = registers_of(instruction),
      .packed = instruction.has(M::kPACK16BIT) || instruction.has(M::kEXPAND16BIT)};
  const std::string lane_fault = transfer.lane_fault(context.warp->index);
  if (!lane_fault.empty())
    return context.stop_at(instruction, lane_fault, "bad-tensor-lane"), std::nullopt;
  const std::string column_fault = transfer.column_fault(context.block->tensor);
  if (!column_fault.empty())
    return context.stop_at(instruction, column_fault, "out-of-bounds"), std::nullopt;
  const uint32_t columns = transfer.extent().column;
  if (!is_quiet(context, instruction, transfer.at.column, columns)) return {};
  const auto moving = static_cast<uint32_t>(__builtin_popcount(lanes_of(instruction)));
  context.recorder->note_cells(context, instruction, 0, transfer.at, columns,
                               uint64_t{moving} * 4 * transfer.registers);
  return transfer;
}

Operand further(Operand operand, uint32_t r) {
  if (operand.index != kZeroRegister) operand.index = static_cast<uint8_t>(operand.index + r);
  return operand;
}

/// f(lane, register of the operand, its number) for what moves.
template <class F>
void each_register(Context& context, const Instruction& instruction, const Operand& operand,
                   uint32_t registers, F f) {
  for (uint32_t r = 0; r < registers; ++r) {
    const Operand one = further(operand, r);
    for_each_lane(lanes_of(instruction), [&](int number) {
      Lane lane(context, number);
      f(lane, one, r);
    });
  }
}

}  // namespace

void change_columns(Context& context, const Instruction& instruction, Lanes lanes) {
  if (instruction.has(M::kFINDANDSET)) return allocate(context, instruction, lanes);
  free(context, instruction, lanes);
}

/// Registers, tmem[address].
void load_tensor_memory(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  const auto transfer = read_transfer(context, instruction, lanes, operands[1]);
  if (!transfer) return;
  TensorMemory& tensor = context.block->tensor;
  each_register(context, instruction, operands[0], transfer->registers,
                [&](Lane& lane, const Operand& to, uint32_t r) {
                  lane.set(to, transfer->load(tensor, static_cast<uint32_t>(lane.number()), r));
                });
}

/// tmem[address], registers.
void store_tensor_memory(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  const auto transfer = read_transfer(context, instruction, lanes, operands[0]);
  if (!transfer) return;
  TensorMemory& tensor = context.block->tensor;
  each_register(context, instruction, operands[1], transfer->registers,
                [&](Lane& lane, const Operand& from, uint32_t r) {
                  transfer->store(tensor, static_cast<uint32_t>(lane.number()), r, lane.word(from));
                });
}

}  // namespace warpledger::exec::machine
