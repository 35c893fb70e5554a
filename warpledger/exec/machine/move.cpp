// Moves between registers, predicates, special registers and constants.
#include <map>

#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

/// The thread's place in its block.
Extent thread_of(Lane& lane) {
  const Extent& block = lane.context().launch.block;
  const uint32_t thread =
      lane.context().warp->index * kWarpSize + static_cast<uint32_t>(lane.number());
  return {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
}

using Special = uint32_t (*)(Lane& lane);

const std::map<std::string_view, Special>& special_registers() {
  static const std::map<std::string_view, Special> known = {
      {"SRZ", [](Lane&) { return 0U; }},
      {"SR_TID.X", [](Lane& lane) { return thread_of(lane)[0]; }},
      {"SR_TID.Y", [](Lane& lane) { return thread_of(lane)[1]; }},
      {"SR_TID.Z", [](Lane& lane) { return thread_of(lane)[2]; }},
      {"SR_CTAID.X", [](Lane& lane) { return lane.context().block->id[0]; }},
      {"SR_CTAID.Y", [](Lane& lane) { return lane.context().block->id[1]; }},
      {"SR_CTAID.Z", [](Lane& lane) { return lane.context().block->id[2]; }},
      {"SR_LANEID", [](Lane& lane) { return static_cast<uint32_t>(lane.number()); }},
      {"SR_EQMASK", [](Lane& lane) { return 1U << lane.number(); }},
      {"SR_LTMASK", [](Lane& lane) { return (1U << lane.number()) - 1; }},
      {"SR_LEMASK", [](Lane& lane) { return (2U << lane.number()) - 1; }},
      {"SR_GTMASK", [](Lane& lane) { return ~((2U << lane.number()) - 1); }},
      {"SR_GEMASK", [](Lane& lane) { return ~((1U << lane.number()) - 1); }},
      {"SR_SWINHI", [](Lane&) { return static_cast<uint32_t>(kSharedWindow >> 32); }},
      {"SR_CgaSize", [](Lane&) { return 0U; }},  // bank_layout.h
      {"SR_CgaCtaId", [](Lane& lane) { return lane.context().block->rank; }},
      {"SR_LWINHI", [](Lane&) { return static_cast<uint32_t>(kLocalWindow >> 32); }},
      {"SR_CLOCKLO", [](Lane& lane) { return static_cast<uint32_t>(lane.context().steps); }},
      {"SR_CLOCKHI", [](Lane& lane) { return static_cast<uint32_t>(lane.context().steps >> 32); }},
      {"SR_GLOBALTIMERLO", [](Lane& lane) { return static_cast<uint32_t>(lane.context().steps); }},
      {"SR_GLOBALTIMERHI",
       [](Lane& lane) { return static_cast<uint32_t>(lane.context().steps >> 32); }},
  };
  return known;
}

int byte_of(const Operand& operand) {
  if (operand.selector == "B1") return 8;
  if (operand.selector == "B2") return 16;
  return operand.selector == "B3" ? 24 : 0;
}

}  // namespace

void move(Lane& lane, const Instruction& instruction) {
  if (instruction.has(M::k64))
    return lane.set_pair(instruction.operands[0], lane.wide(instruction.operands[1]));
  lane.set(instruction.operands[0], lane.integer(instruction.operands[1]));
}

/// The value of the first lane. A predicate before it tells each lane whether its value is another:
/// ptxas asks so before votes whose lanes are named by a register. .OR: whether this one or, as the
/// predicate says, an earlier one is another.
void move_to_uniform(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  Lane first(context, __builtin_ctz(lanes));
  const uint32_t value = first.integer(operands.back());
  const bool tells = is_predicate(operands.front());
  first.set(operands[tells ? 1 : 0], value);
  if (!tells) return;
  for_each_lane(lanes, [&](int number) {
    Lane lane(context, number);
    const bool before = instruction.has(M::kOR) && lane.predicate(operands.front());
    lane.set_predicate(operands.front(), before || lane.integer(operands.back()) != value);
  });
}

void select(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const Operand& chosen = operands[lane.predicate(operands[3]) ? 1 : 2];
  if (instruction.has(M::k64)) return lane.set_pair(operands[0], lane.wide(chosen));
  lane.set(operands[0], lane.integer(chosen));
}

void select_float(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const uint32_t value = lane.f32(operands[lane.predicate(operands[3]) ? 1 : 2]);
  lane.set(operands[0], instruction.has(M::kFTZ)
                            ? static_cast<uint32_t>(numeric::flush(numeric::kF32, value))
                            : value);
}

/// CS2R without .32 writes a pair, and so does CS2UR.
void read_special(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto known = special_registers().find(operands[1].text);
  if (known == special_registers().end())
    return lane.context().stop("the special register " + operands[1].text + " is not supported",
                               "unsupported-opcode");
  const uint32_t value = known->second(lane);
  lane.set(operands[0], value);
  if (instruction.row->opcode.starts_with("CS2") && !instruction.has(M::k32))
    lane.set(operands[0], 0, 1);
}

/// P2R d, PR, a, mask: predicates of the mask into a byte of d, the rest from a. UP2UR has the
/// uniform ones.
void pack_predicates(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const int at = byte_of(operands[0]);
  const uint32_t mask = lane.integer(operands[3]);
  const auto kind =
      instruction.row->is_uniform ? OperandKind::kUniformPredicate : OperandKind::kPredicate;
  uint32_t bits = 0;
  for (uint8_t i = 0; i < kTruePredicate; ++i)
    bits |= (lane.predicate({.kind = kind, .index = i}) ? 1U : 0U) << i;
  lane.set(operands[0], (lane.integer(operands[2]) & ~(mask << at)) | (bits & mask) << at);
}

void unpack_predicates(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  Operand source = operands[1];
  const uint32_t bits = lane.integer(source) >> byte_of(source);
  const uint32_t mask = lane.integer(operands[2]);
  for (uint8_t i = 0; i < kTruePredicate; ++i) {
    if ((mask >> i & 1) == 0) continue;
    lane.set_predicate({.kind = OperandKind::kPredicate, .index = i}, (bits >> i & 1) != 0);
  }
}

void load_constant(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const Operand& source = operands[1];
  const auto at = static_cast<uint32_t>(lane.address(source));
  const auto read = [&](size_t bytes) { return read_bank(lane.context(), source.bank, at, bytes); };
  if (instruction.has(M::k64)) return lane.set_pair(operands[0], read(8));
  for (int i = 0; instruction.has(M::k128) && i < 4; ++i)
    lane.set(operands[0],
             static_cast<uint32_t>(
                 read_bank(lane.context(), source.bank, at + 4 * static_cast<uint32_t>(i), 4)),
             i);
  if (instruction.has(M::k128)) return;
  uint64_t value = 0;
  if (instruction.has(M::kU8) || instruction.has(M::kS8))
    value = numeric::extend({8, instruction.has(M::kS8)}, read(1));
  else if (instruction.has(M::kU16) || instruction.has(M::kS16))
    value = numeric::extend({16, instruction.has(M::kS16)}, read(2));
  else
    value = read(4);
  lane.set(operands[0], static_cast<uint32_t>(value));
}

}  // namespace warpledger::exec::machine
