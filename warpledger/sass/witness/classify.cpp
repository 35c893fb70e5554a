#include "warpledger/sass/witness/classify.h"

#include <algorithm>
#include <set>

namespace warpledger::sass {
namespace {

using ptx::Family;
using ptx::MemoryKind;
using ptx::Op;

/// Rule 4: instructions of which ptxas makes several, some of them loads and stores of its own.
bool may_expand(const ptx::Spelling& spelling) {
  const Family family = spelling.opcode().family;
  const MemoryKind memory = spelling.opcode().memory;
  return family == Family::kAsyncCopy || family == Family::kTcgen05 ||
         memory == MemoryKind::kAsync || memory == MemoryKind::kBarrierObject ||
         memory == MemoryKind::kFence || memory == MemoryKind::kHint || spelling.op() == Op::kCall;
}

/// Parameters of a call that go through the stack.
bool is_call_parameter(const ptx::Spelling& spelling) {
  return (spelling.op() == Op::kLd || spelling.op() == Op::kSt) &&
         spelling.space() == ptx::Space::kParam;
}

const SassFunction& function_at(const KernelWitness& kernel, uint32_t index) {
  const auto after = std::upper_bound(
      kernel.functions.begin(), kernel.functions.end(), index,
      [](uint32_t wanted, const SassFunction& function) { return wanted < function.first; });
  WL_CHECK(after != kernel.functions.begin());
  return *std::prev(after);
}

/// The stores of `side` that no SASS instruction does, fit `wanted` and are as wide.
std::vector<const PtxOp*> idle_stores(const PtxSide& side, const std::set<uint32_t>& busy,
                                      const MemoryAccess& wanted) {
  std::vector<const PtxOp*> idle;
  for (const PtxOp& op : side.ops) {
    if (!op.is_elsewhere && fits(op.access, wanted) && op.access.width == wanted.width &&
        !busy.contains(op.instruction))
      idle.push_back(&op);
  }
  return idle;
}

/// Those with one address, at least two if there are such; else all.
std::vector<uint32_t> same_address(const std::vector<const PtxOp*>& idle) {
  std::vector<uint32_t> best;
  for (const PtxOp* first : idle) {
    std::vector<uint32_t> group;
    for (const PtxOp* op : idle) {
      if (op == first || (op->address && op->address == first->address))
        group.push_back(op->instruction);
    }
    if (group.size() > best.size()) best = std::move(group);
  }
  return best;
}

}  // namespace

AccessClass classify(const ptx::Module& module, const std::vector<PtxSide>& sides,
                     const KernelWitness& kernel, uint32_t index, const MemoryAccess& access) {
  const Place place = kernel.places[index];
  if (kernel.code[index].predicate == "@!PT") return AccessClass::kFiller;
  const ptx::Spelling* spelling = nullptr;
  if (place.is_statement()) {
    const ptx::Function& function = module.functions[place.function];
    spelling = &module.spelling(function.instructions[place.instruction]);
    const PtxOp* op = sides[place.function].find(place.instruction);
    if (op != nullptr && !op->is_elsewhere && fits(op->access, access)) return AccessClass::kKept;
  }
  const bool in_call = spelling != nullptr && is_call_parameter(*spelling);
  // A zero needs no spilling: tensor copies put one on the stack (sm_120, a map in parameters).
  const bool stores_zero = access.kind == AccessKind::kStore &&
                           !kernel.code[index].operands.empty() &&
                           kernel.code[index].operands.back() == "RZ";
  if (stores_zero && spelling != nullptr && may_expand(*spelling)) return AccessClass::kExpansion;
  if (access.space == AccessSpace::kLocal && !in_call) {
    const bool at_edge = spelling == nullptr || spelling->op() == Op::kRet;
    return !function_at(kernel, index).is_entry && at_edge ? AccessClass::kCalleeSave
                                                           : AccessClass::kSpill;
  }
  if (spelling != nullptr && (in_call || may_expand(*spelling))) return AccessClass::kExpansion;
  return access.kind == AccessKind::kStore && spelling != nullptr ? AccessClass::kSunk
                                                                  : AccessClass::kMismapped;
}

void pair_callee_saves(KernelWitness& kernel) {
  for (const SassFunction& function : kernel.functions) {
    if (function.is_entry) continue;
    std::set<std::string> saved, spilled;
    const auto each_local = [&](const auto& take) {
      for (SassAccess& access : kernel.accesses) {
        const Instruction& code = kernel.code[access.index];
        if (access.index < function.first || access.index >= function.end) continue;
        if (access.access.space != AccessSpace::kLocal || code.operands.size() < 2) continue;
        const bool is_store = access.access.kind == AccessKind::kStore;
        take(access, is_store, code.operands[is_store ? 0 : 1]);
      }
    };
    each_local([&](SassAccess& access, bool is_store, const std::string& slot) {
      if (is_store)
        (access.access_class == AccessClass::kCalleeSave ? saved : spilled).insert(slot);
    });
    each_local([&](SassAccess& access, bool is_store, const std::string& slot) {
      // Also where it stands at the line of a result that goes through the stack.
      const bool is_open = access.access_class == AccessClass::kSpill ||
                           access.access_class == AccessClass::kExpansion;
      if (!is_store && is_open && saved.contains(slot) && !spilled.contains(slot))
        access.access_class = AccessClass::kCalleeSave;
    });
  }
}

void pair_sunk_stores(const std::vector<PtxSide>& sides, KernelWitness& kernel) {
  std::map<uint32_t, std::set<uint32_t>> busy;  // by function: instructions with SASS
  for (const SassAccess& access : kernel.accesses) {
    if (access.access_class != AccessClass::kKept) continue;
    busy[access.place.function].insert(access.place.instruction);
    busy[access.place.function].insert(access.members.begin(), access.members.end());
  }
  for (SassAccess& access : kernel.accesses) {
    if (access.access_class != AccessClass::kSunk) continue;
    std::set<uint32_t>& taken = busy[access.place.function];
    access.members = same_address(idle_stores(sides[access.place.function], taken, access.access));
    taken.insert(access.members.begin(), access.members.end());
    if (access.members.empty()) access.access_class = AccessClass::kMismapped;
  }
}

}  // namespace warpledger::sass
