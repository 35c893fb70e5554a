#include "warpledger/sass/witness/fate.h"

#include <algorithm>
#include <set>

namespace warpledger::sass {
namespace {

/// The SASS accesses of a PTX instruction: at its own line, and at a neighbor's.
struct Doers {
  std::vector<uint32_t> own, others;
  bool is_widened = false, is_sunk = false;
};

std::map<Place, Doers> doers_of(const KernelWitness& kernel) {
  std::map<Place, Doers> doers;
  for (uint32_t a = 0; a < kernel.accesses.size(); ++a) {
    const SassAccess& access = kernel.accesses[a];
    for (const uint32_t member : access.members) {
      const Place place{access.place.function, member};
      Doers& found = doers[place];
      (place == access.place ? found.own : found.others).push_back(a);
      if (place == access.place && access.members.size() > 1) found.is_widened = true;
      if (access.access_class == AccessClass::kSunk) found.is_sunk = true;
    }
  }
  return doers;
}

/// Registers that any instruction of the function reads.
std::vector<bool> read_registers(const ptx::Module& module, const ptx::Function& function) {
  std::vector<bool> read(function.register_count());
  const auto mark = [&](const ptx::Operand& operand, const auto& self) -> void {
    if (operand.kind == ptx::OperandKind::kRegister ||
        operand.kind == ptx::OperandKind::kAddressOfRegister)
      read[operand.index] = true;
    if (!operand.has_children()) return;
    for (const ptx::Operand& child : function.children(operand)) self(child, self);
  };
  for (const ptx::Instruction& instruction : function.instructions) {
    const ptx::Spelling& spelling = module.spelling(instruction);
    const auto operands = function.operands_of(instruction);
    if (instruction.guard != ptx::kNoGuard) read[instruction.guard] = true;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (spelling.op() == ptx::Op::kCall || !spelling.operand(i, operands.size()).written)
        mark(operands[i], mark);
    }
  }
  return read;
}

/// Why the ops of one function may have no SASS.
class Coroner {
 public:
  Coroner(const ptx::Module& module, const ptx::Function& function, const PtxSide& side,
          const std::set<uint32_t>& seen)
      : function_(function), side_(side), read_(read_registers(module, function)) {
    block_has_sass_.resize(side.cfg.blocks.size());
    for (const uint32_t instruction : seen) block_has_sass_[side.cfg.block_of[instruction]] = true;
  }

  [[nodiscard]] DropReason reason(const PtxOp& dropped) const {
    if (dropped.access.space == AccessSpace::kLocal) return DropReason::kPromoted;
    for (const PtxOp& op : side_.ops) {
      if (&op != &dropped && !op.is_elsewhere && op.address && op.address == dropped.address)
        return DropReason::kSameAddress;
    }
    if (dropped.access.kind == AccessKind::kLoad && !is_read(dropped))
      return DropReason::kUnusedValue;
    return block_has_sass_[dropped.block] ? DropReason::kUnexplained : DropReason::kBlockGone;
  }

 private:
  [[nodiscard]] bool is_read(const PtxOp& op) const {
    const auto operands = function_.operands_of(function_.instructions[op.instruction]);
    const auto any = [&](const ptx::Operand& operand, const auto& self) -> bool {
      if (operand.kind == ptx::OperandKind::kRegister) return read_[operand.index];
      if (!operand.has_children()) return false;
      const auto children = function_.children(operand);
      return std::any_of(children.begin(), children.end(),
                         [&](const ptx::Operand& child) { return self(child, self); });
    };
    return operands.empty() || any(operands[0], any);
  }

  const ptx::Function& function_;
  const PtxSide& side_;
  std::vector<bool> read_;
  std::vector<bool> block_has_sass_;
};

Fate fate_of(Place place, const PtxOp& op, const Doers& doers, const Coroner& coroner) {
  Fate fate{.place = place, .accesses = doers.own};
  if (op.is_elsewhere) {
    fate.kind = FateKind::kElsewhere;
  } else if (doers.is_sunk && doers.own.empty()) {
    fate.kind = FateKind::kSunk;
    fate.accesses = doers.others;
  } else if (doers.is_widened) {
    fate.kind = FateKind::kWidened;
  } else if (doers.own.size() > 1) {
    fate.kind = FateKind::kDuplicated;
  } else if (doers.own.size() == 1) {
    fate.kind = FateKind::kKept;
  } else if (!doers.others.empty()) {
    fate.kind = FateKind::kMerged;
    fate.accesses = doers.others;
  } else {
    fate.reason = coroner.reason(op);
  }
  return fate;
}

}  // namespace

void tell_fates(const ptx::Module& module, const std::vector<PtxSide>& sides,
                KernelWitness& kernel) {
  std::map<uint32_t, std::set<uint32_t>> seen;  // by function: instructions whose line has SASS
  if (kernel.function != Place::kCompilerMade) seen[kernel.function];
  for (const Place& place : kernel.places) {
    if (place.is_statement()) seen[place.function].insert(place.instruction);
  }
  const std::map<Place, Doers> doers = doers_of(kernel);
  for (const auto& [index, instructions] : seen) {
    const PtxSide& side = sides[index];
    const Coroner coroner(module, module.functions[index], side, instructions);
    for (const PtxOp& op : side.ops) {
      const Place place{index, op.instruction};
      const auto found = doers.find(place);
      kernel.fates.push_back(
          fate_of(place, op, found == doers.end() ? Doers{} : found->second, coroner));
    }
  }
}

}  // namespace warpledger::sass
