#include "warpledger/exec/translate/call.h"

#include <algorithm>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::translate {
namespace {

constexpr size_t kMostWords = 3;
constexpr uint8_t kResult = kMostWords;

/// Opcodes whose operands are single words.
constexpr std::string_view kOpcodes[] = {
    "MUFU", "HMNMX2", "HADD2", "HMUL2", "HFMA2",  "VABSDIFF", "VABSDIFF4", "IDP",  "I2I", "PRMT",
    "F2FP", "SGXT",   "FSEL",  "VIADD", "VIMNMX", "IMNMX",    "FRND",      "FSET", "F2I", "HSET2"};

bool has_single_words(const Instruction& one) {
  return std::ranges::find(kOpcodes, one.row->opcode) != std::end(kOpcodes) && !one.has(M::kF64) &&
         !one.has(M::kS64) && !one.has(M::kU64) && !one.has(M::k64);
}

bool is_read_word(const Operand& operand) {
  return (operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniform) &&
         operand.index != machine::kZeroRegister;
}

}  // namespace

void write_call(Writer& w) {
  if (w.now().row->is_uniform || !has_single_words(w.now()) ||
      w.operand(0).kind != OperandKind::kRegister)
    return w.refuse("no translation");
  std::vector<std::string> words;
  std::string predicate = "%pt";
  size_t predicates = 0;
  for (size_t i = 1; i < w.operands(); ++i) {
    const Operand& operand = w.operand(i);
    if (machine::is_predicate(operand)) {
      predicate = w.predicate(operand);
      ++predicates;
    } else if (is_read_word(operand)) {
      words.push_back(w.word(operand));
    } else if (operand.kind != OperandKind::kConstant && operand.kind != OperandKind::kImmediate &&
               operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kUniform) {
      return w.refuse("an operand of another kind");
    }
  }
  if (words.size() > kMostWords || predicates > 1) return w.refuse("more operands than a call has");
  words.resize(kMostWords, "0");
  w.result_as(fmt::format("lop3.or.b32 {}|%pz, {}, {}, {}, 0, {};", w.to(w.operand(0)), words[0],
                          words[1], words[2], predicate),
              {.is_call = true});
}

Call::Call(const Variant& line, const machine::Loaded& in, uint32_t number)
    : Variant(line), loaded(&in), instruction(in.program.instructions[number]) {
  uint8_t next = 0;
  for (size_t i = 1; i < instruction.operands.size(); ++i) {
    Operand& operand = instruction.operands[i];
    if (machine::is_predicate(operand)) {
      operand.kind = OperandKind::kPredicate;
      operand.index = 0;
      operand.inverted = false;
    } else if (is_read_word(operand)) {
      operand.kind = OperandKind::kRegister;
      operand.index = next++;
    }
  }
  instruction.operands[0].index = kResult;
}

reference::Outcome run_call(reference::Context& context, const reference::Step& step) {
  const auto& call = static_cast<const Call&>(*step.variant);
  const auto registers = context.elements(step.operands[0]);
  machine::Warp warp;
  warp.registers.resize(size_t{kResult + 1} * kWarpSize);
  machine::Context machine{.launch = context.engine.request(),
                           .loaded = *call.loaded,
                           .memory = context.engine.image().memory(),
                           .warp = &warp};
  for_each_lane(context.lanes, [&](int lane) {
    for (size_t i = 0; i < kMostWords; ++i)
      warp.registers[i * kWarpSize + static_cast<size_t>(lane)] =
          static_cast<uint32_t>(context.read(step.operands[1 + i], lane));
    if ((context.read(step.operands[5], lane) & 1) != 0) warp.predicates[0] |= 1U << lane;
    machine::Lane one(machine, lane);
    call.instruction.row->lane(one, call.instruction);
    context.write(registers[0], lane,
                  warp.registers[size_t{kResult} * kWarpSize + static_cast<size_t>(lane)]);
    if (machine.fault) context.fault(step, lane, machine.fault->message, machine.fault->code);
  });
  return reference::Outcome::kNext;
}

}  // namespace warpledger::exec::translate
