#include "warpledger/exec/jit/emit/emit_verify_checks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <set>

#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {
namespace {

namespace match = llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::Value;

constexpr uint64_t kWidestLane = 32;  // bytes: eight elements of four

void add_conjuncts(const Value* condition, std::vector<const Value*>& all) {
  const Value *left = nullptr, *right = nullptr;
  if (match::match(condition, match::m_And(match::m_Value(left), match::m_Value(right)))) {
    add_conjuncts(left, all);
    add_conjuncts(right, all);
  } else {
    all.push_back(condition);
  }
}

/// The leader's scalar, or a constant of the group from it.
bool is_in_group(const Value* checked, const Value* scalar, int64_t low, int64_t high) {
  if (scalar == checked) return true;
  const auto* sum = dyn_cast<llvm::BinaryOperator>(scalar);
  if (sum == nullptr || sum->getOpcode() != llvm::Instruction::Add) {
    const auto* one = dyn_cast<llvm::ConstantInt>(scalar);
    const auto* other = dyn_cast<llvm::ConstantInt>(checked);
    if (one == nullptr || other == nullptr) return false;
    const int64_t far = one->getSExtValue() - other->getSExtValue();
    return far >= low && far <= high;
  }
  const auto* far = dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
  return sum->getOperand(0) == checked && far != nullptr && far->getSExtValue() >= low &&
         far->getSExtValue() <= high;
}

}  // namespace

Place place_of(const Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt offset(64, 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue()};
}

bool is_inside(int64_t offset, uint64_t bytes, uint64_t room) {
  return offset >= 0 && bytes <= room && static_cast<uint64_t>(offset) <= room - bytes;
}

Checks::Checks(llvm::Function& function, const Analysis& analysis)
    : function_(function),
      layout_(function.getParent()->getDataLayout()),
      analysis_(analysis),
      dominators_(function) {
  for (uint32_t pc = 0; pc < analysis.memory_index.size(); ++pc)
    if (analysis.memory_index[pc] != kNowhere) step_of_[analysis.memory_index[pc]] = pc;
  for (const llvm::BasicBlock& block : function) find_check(block);
}

std::optional<int64_t> Checks::field_of(const Value* value) const {
  const auto* load = dyn_cast<llvm::LoadInst>(value);
  if (load == nullptr) return {};
  const Place at = place_of(load->getPointerOperand(), layout_);
  if (at.base != function_.getArg(0)) return {};
  return at.offset;
}

/// The place in the windows that a value was loaded from.
std::optional<int64_t> Checks::window_field(const Value* value) const {
  const auto* load = dyn_cast<llvm::LoadInst>(value);
  if (load == nullptr) return {};
  const Place at = place_of(load->getPointerOperand(), layout_);
  if (field_of(at.base) != offsetof(WarpContext, windows)) return {};
  return at.offset;
}

/// rotate(scalar - windows[i].base) < windows[i].bound: i, and the scalar.
std::optional<std::pair<int64_t, const Value*>> Checks::bound_check(const Value* condition) const {
  const auto* compare = dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr || compare->getPredicate() != llvm::ICmpInst::ICMP_ULT) return {};
  const auto* rotate = dyn_cast<llvm::IntrinsicInst>(compare->getOperand(0));
  const auto bound = window_field(compare->getOperand(1));
  if (!bound || rotate == nullptr || rotate->getIntrinsicID() != llvm::Intrinsic::fshr ||
      rotate->getOperand(0) != rotate->getOperand(1))
    return {};
  const auto* from = dyn_cast<llvm::BinaryOperator>(rotate->getOperand(0));
  if (from == nullptr || from->getOpcode() != llvm::Instruction::Sub) return {};
  const auto base = window_field(from->getOperand(1));
  const int64_t window = *bound - static_cast<int64_t>(offsetof(SiteWindow, bound));
  if (!base || *base != window + static_cast<int64_t>(offsetof(SiteWindow, base)) || window < 0 ||
      window % static_cast<int64_t>(sizeof(SiteWindow)) != 0)
    return {};
  return std::pair{window, from->getOperand(0)};
}

/// windows[i].pattern == p: p.
const Value* Checks::pattern_check(const Value* condition, int64_t window) const {
  const auto* compare = dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr || compare->getPredicate() != llvm::ICmpInst::ICMP_EQ) return nullptr;
  return window_field(compare->getOperand(0)) == window ? compare->getOperand(1) : nullptr;
}

void Checks::find_check(const llvm::BasicBlock& block) {
  const auto* branch = dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || !branch->isConditional()) return;
  const llvm::BasicBlock* holds = branch->getSuccessor(0);
  if (holds->getSinglePredecessor() != &block) return;
  std::vector<const Value*> conditions;
  add_conjuncts(branch->getCondition(), conditions);
  for (const Value* condition : conditions) {
    const auto bound = bound_check(condition);
    if (!bound) continue;
    for (const Value* other : conditions) {
      const Value* pattern = pattern_check(other, bound->first);
      if (pattern == nullptr) continue;
      checks_.push_back({holds, bound->second, pattern,
                         static_cast<uint32_t>(bound->first / sizeof(SiteWindow))});
    }
  }
}

std::optional<DeviceAddress> Checks::device_address(const Value* pointer) const {
  const auto* entry = dyn_cast<llvm::GetElementPtrInst>(pointer);
  if (entry == nullptr || entry->getNumIndices() != 1 ||
      !entry->getSourceElementType()->isIntegerTy(8))
    return {};
  const auto field = field_of(entry->getPointerOperand());
  if (field != offsetof(WarpContext, global) && field != offsetof(WarpContext, shared) &&
      field != offsetof(WarpContext, constants))
    return {};
  DeviceAddress address{.space = static_cast<size_t>(*field)};
  const Value* index = entry->getOperand(1);
  if (const auto* fixed = dyn_cast<llvm::ConstantInt>(index)) {
    address.fixed = fixed->getZExtValue();
    return address;
  }
  const auto* sum = dyn_cast<llvm::BinaryOperator>(index);
  if (sum == nullptr || sum->getOpcode() != llvm::Instruction::Add) return {};
  address.scalar = sum->getOperand(0);
  address.offset = sum->getOperand(1);
  return address;
}

size_t Checks::count_before(const llvm::Instruction& instruction) const {
  size_t count = 0;
  for (const Check& check : checks_)
    count += dominators_.dominates(check.holds, instruction.getParent()) ? 1 : 0;
  return count;
}

bool Checks::precede(const llvm::Instruction& instruction, const DeviceAddress& address) const {
  return llvm::any_of(checks_, [&](const Check& check) {
    return covers(check, address) && dominators_.dominates(check.holds, instruction.getParent());
  });
}

bool Checks::precede(const llvm::Instruction& instruction, const DeviceAddress& address,
                     const Value* lanes) const {
  return llvm::any_of(checks_, [&](const Check& check) {
    const auto* pattern = dyn_cast<llvm::CallInst>(check.pattern);
    return pattern != nullptr && are_same(pattern->getArgOperand(1), lanes) &&
           covers(check, address) && dominators_.dominates(check.holds, instruction.getParent());
  });
}

bool Checks::covers(const Check& check, const DeviceAddress& address) const {
  const auto constant = [](const Value* value) -> std::optional<int64_t> {
    const auto* number = dyn_cast<llvm::ConstantInt>(value);
    if (number == nullptr) return {};
    return number->getSExtValue();
  };
  const auto [low, high] = span_of(check.window);
  if (address.scalar == nullptr) {  // all of it is one number
    const auto from = constant(check.scalar);
    if (!from) return false;
    const int64_t far = static_cast<int64_t>(address.fixed) - *from;
    return far >= low && far < high + static_cast<int64_t>(kWidestLane);
  }
  return is_in_group(check.scalar, address.scalar, low, high) &&
         is_lane_offset(check, address.offset);
}

/// A field of the pattern that was checked, or an element of a lane that all share.
bool Checks::is_lane_offset(const Check& check, const Value* offset) const {
  if (const auto* number = dyn_cast<llvm::ConstantInt>(offset))
    return number->getZExtValue() < kWidestLane;
  const auto* load = dyn_cast<llvm::LoadInst>(offset);
  if (load == nullptr) return false;
  const Place at = place_of(load->getPointerOperand(), layout_);
  return at.base == check.pattern && is_inside(at.offset, 8, offsetof(Pattern, index8));
}

std::pair<int64_t, int64_t> Checks::span_of(uint32_t window) const {
  const auto step = step_of_.find(window);
  // The second window of a copy has no group.
  return step == step_of_.end() ? std::pair<int64_t, int64_t>{0, 0} : analysis_.span[step->second];
}

/// One value; or one variable, read twice with nothing written to it in between.
bool Checks::are_same(const Value* first, const Value* second) const {
  if (first == second) return true;
  const auto *one = dyn_cast<llvm::SExtInst>(first), *other = dyn_cast<llvm::SExtInst>(second);
  if (one != nullptr && other != nullptr) return are_same(one->getOperand(0), other->getOperand(0));
  const auto *earlier = dyn_cast<llvm::LoadInst>(first), *later = dyn_cast<llvm::LoadInst>(second);
  if (earlier == nullptr || later == nullptr || earlier->getType() != later->getType())
    return false;
  const auto* variable = dyn_cast<llvm::AllocaInst>(earlier->getPointerOperand());
  return variable != nullptr && later->getPointerOperand() == variable &&
         dominators_.dominates(earlier, later) && is_unchanged(*variable, *earlier, *later);
}

namespace {

bool may_write(const llvm::Instruction& instruction, const llvm::AllocaInst& variable) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  return store != nullptr && store->getPointerOperand() == &variable;
}

bool may_write(llvm::BasicBlock::const_iterator first, llvm::BasicBlock::const_iterator end,
               const llvm::AllocaInst& variable) {
  return std::any_of(first, end, [&](const auto& one) { return may_write(one, variable); });
}

/// Its address goes nowhere.
bool is_only_loaded_and_stored(const llvm::AllocaInst& variable) {
  return llvm::all_of(variable.users(), [&](const llvm::User* user) {
    const auto* store = dyn_cast<llvm::StoreInst>(user);
    return llvm::isa<llvm::LoadInst>(user) ||
           (store != nullptr && store->getValueOperand() != &variable);
  });
}

}  // namespace

/// On all paths from one to the other; every path to `to` passes `from`.
bool Checks::is_unchanged(const llvm::AllocaInst& variable, const llvm::Instruction& from,
                          const llvm::Instruction& to) const {
  if (!is_only_loaded_and_stored(variable)) return false;
  const llvm::BasicBlock *first = from.getParent(), *last = to.getParent();
  if (first == last) return !may_write(from.getIterator(), to.getIterator(), variable);
  if (may_write(last->begin(), to.getIterator(), variable) ||
      may_write(from.getIterator(), first->end(), variable))
    return false;
  std::set<const llvm::BasicBlock*> between = {first};
  std::vector<const llvm::BasicBlock*> work(llvm::pred_begin(last), llvm::pred_end(last));
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.back();
    work.pop_back();
    if (!is_reached(*block) || !between.insert(block).second) continue;
    if (may_write(block->begin(), block->end(), variable)) return false;
    work.insert(work.end(), llvm::pred_begin(block), llvm::pred_end(block));
  }
  return true;
}

}  // namespace warpledger::exec::jit
