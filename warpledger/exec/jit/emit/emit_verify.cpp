#include "warpledger/exec/jit/emit/emit_verify.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <vector>

#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {
namespace {

namespace match = llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::Value;

constexpr uint64_t kRecordBytes = 4 * sizeof(trace::Record);  // written at once (emit_record.cpp)
constexpr uint64_t kWidestLane = 32;                          // bytes: eight elements of four

/// base + constant.
struct Place {
  const Value* base = nullptr;
  int64_t offset = 0;
};

Place place_of(const Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt offset(64, 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue()};
}

/// A check that a branch makes.
struct Check {
  const llvm::BasicBlock* holds = nullptr;  // where it leads to
  const Value* scalar = nullptr;
  const Value* pattern = nullptr;
  uint32_t window = 0;
};

/// What an access of the device's memory is made of.
struct DeviceAddress {
  size_t space = 0;  // offset of its base in the context
  const Value* scalar = nullptr;
  const Value* offset = nullptr;  // null: none
  uint64_t fixed = 0;             // where scalar is null: the address
};

class Verifier {
 public:
  Verifier(llvm::Function& function, const Analysis& analysis)
      : function_(function),
        layout_(function.getParent()->getDataLayout()),
        analysis_(analysis),
        dominators_(function) {
    for (uint32_t pc = 0; pc < analysis.memory_index.size(); ++pc)
      if (analysis.memory_index[pc] != kNowhere) step_of_[analysis.memory_index[pc]] = pc;
    for (const llvm::BasicBlock& block : function) find_check(block);
  }

  std::optional<std::string> run() {
    for (const llvm::BasicBlock& block : function_) {
      for (const llvm::Instruction& instruction : block) {
        if (const char* why = fault_of(instruction)) return text_of(instruction, why);
      }
    }
    return {};
  }

 private:
  static std::string text_of(const llvm::Instruction& instruction, const char* why) {
    std::string text;
    llvm::raw_string_ostream out(text);
    instruction.print(out);
    return fmt::format("{}:{}", why, text);
  }

  // The context's field that a value was loaded from.
  std::optional<int64_t> field_of(const Value* value) const {
    const auto* load = dyn_cast<llvm::LoadInst>(value);
    if (load == nullptr) return {};
    const Place at = place_of(load->getPointerOperand(), layout_);
    if (at.base != function_.getArg(0)) return {};
    return at.offset;
  }

  /// The place in the windows that a value was loaded from.
  std::optional<int64_t> window_field(const Value* value) const {
    const auto* load = dyn_cast<llvm::LoadInst>(value);
    if (load == nullptr) return {};
    const Place at = place_of(load->getPointerOperand(), layout_);
    if (field_of(at.base) != offsetof(WarpContext, windows)) return {};
    return at.offset;
  }

  static void add_conjuncts(const Value* condition, std::vector<const Value*>& all) {
    const Value *left = nullptr, *right = nullptr;
    if (match::match(condition, match::m_And(match::m_Value(left), match::m_Value(right)))) {
      add_conjuncts(left, all);
      add_conjuncts(right, all);
    } else {
      all.push_back(condition);
    }
  }

  /// rotate(scalar - windows[i].base) < windows[i].bound: i, and the scalar.
  std::optional<std::pair<int64_t, const Value*>> bound_check(const Value* condition) const {
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
  const Value* pattern_check(const Value* condition, int64_t window) const {
    const auto* compare = dyn_cast<llvm::ICmpInst>(condition);
    if (compare == nullptr || compare->getPredicate() != llvm::ICmpInst::ICMP_EQ) return nullptr;
    return window_field(compare->getOperand(0)) == window ? compare->getOperand(1) : nullptr;
  }

  void find_check(const llvm::BasicBlock& block) {
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

  uint64_t size_of(llvm::Type* type) const { return layout_.getTypeStoreSize(type); }

  static bool is_inside(int64_t offset, uint64_t bytes, uint64_t room) {
    return offset >= 0 && bytes <= room && static_cast<uint64_t>(offset) <= room - bytes;
  }

  const char* fault_of(const llvm::Instruction& instruction) {
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction))
      return fault_of(*load, load->getPointerOperand(), size_of(load->getType()), false);
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction))
      return fault_of(*store, store->getPointerOperand(),
                      size_of(store->getValueOperand()->getType()), true);
    if (const auto* call = dyn_cast<llvm::CallInst>(&instruction)) return fault_of_call(*call);
    return instruction.mayReadOrWriteMemory() ? "an instruction that is not known" : nullptr;
  }

  const char* fault_of_call(const llvm::CallInst& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr || call.isInlineAsm()) return "a call through a pointer";
    switch (callee->getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
        return fault_of(call, call.getArgOperand(0), size_of(call.getType()), false);
      case llvm::Intrinsic::masked_store:
        return fault_of(call, call.getArgOperand(1), size_of(call.getArgOperand(0)->getType()),
                        true);
      case llvm::Intrinsic::masked_scatter:
        return fault_of_scatter(call);
      case llvm::Intrinsic::masked_gather:
        return fault_of_gather(call);
      case llvm::Intrinsic::not_intrinsic:
        break;
      default:
        return call.mayReadOrWriteMemory() ? "an intrinsic that is not known" : nullptr;
    }
    const llvm::StringRef name = callee->getName();
    const size_t needed = name == "wl_jit_queue_copy"        ? 2
                          : name == "wl_jit_move_known_rows" ? 1
                          : name == "wl_jit_note_write"      ? 1
                                                             : 0;
    return checks_before(call) < needed ? "a call that believes addresses, unchecked" : nullptr;
  }

  size_t checks_before(const llvm::Instruction& instruction) const {
    size_t count = 0;
    for (const Check& check : checks_)
      count += dominators_.dominates(check.holds, instruction.getParent()) ? 1 : 0;
    return count;
  }

  const char* fault_of(const llvm::Instruction& instruction, const Value* pointer, uint64_t bytes,
                       bool writes) {
    const Place at = place_of(pointer, layout_);
    if (const auto* variable = dyn_cast<llvm::AllocaInst>(at.base))
      return is_inside(at.offset, bytes, size_of(variable->getAllocatedType()))
                 ? nullptr
                 : "outside of a variable";
    if (at.base == function_.getArg(0))
      return is_inside(at.offset, bytes, sizeof(WarpContext)) ? nullptr : "outside of the context";
    if (is_pattern(at.base)) {
      const bool holds = !writes && is_inside(at.offset, bytes, sizeof(Pattern));
      return holds ? nullptr : "outside of a pattern, or writes it";
    }
    if (is_record(at.base))
      return is_inside(at.offset, bytes, kRecordBytes) ? nullptr : "outside of the trace";
    if (const auto field = field_of(at.base)) {
      if (const auto room = room_of(*field))
        return is_inside(at.offset, bytes, *room) && (!writes || is_writable(*field))
                   ? nullptr
                   : "outside of a table, or writes what is read only";
    }
    if (is_mask_stack(at.base)) return nullptr;
    return fault_of_device(instruction, pointer, writes);
  }

  static bool is_pattern(const Value* value) {
    const auto* call = dyn_cast<llvm::CallInst>(value);
    return call != nullptr && call->getCalledFunction() != nullptr &&
           call->getCalledFunction()->getName() == "wl_jit_pattern";
  }

  /// The variable that holds the next free record: what it is set to comes from the context.
  bool is_record(const Value* value) const {
    const auto* load = dyn_cast<llvm::LoadInst>(value);
    return load != nullptr && load->getType()->isPointerTy() &&
           llvm::isa<llvm::AllocaInst>(load->getPointerOperand());
  }

  /// Bytes behind the pointers that the context holds; nothing for device memory.
  std::optional<uint64_t> room_of(int64_t field) const {
    switch (field) {
      case offsetof(WarpContext, windows):
        return analysis_.windows * sizeof(SiteWindow);
      case offsetof(WarpContext, counts):
        return CountPlaces(analysis_).size() * sizeof(uint64_t);
      case offsetof(WarpContext, registers):
        return uint64_t{analysis_.code->slots} * 32 * sizeof(uint64_t);
      case offsetof(WarpContext, params):
        return analysis_.program->layout.param_bytes;
      default:
        return {};
    }
  }

  static bool is_writable(int64_t field) {
    return field == offsetof(WarpContext, counts) || field == offsetof(WarpContext, registers);
  }

  /// An entry of the stack of masks (emit_control.cpp): what its depth may be, flow.h says.
  static bool is_mask_stack(const Value* value) {
    const auto* entry = dyn_cast<llvm::GetElementPtrInst>(value);
    return entry != nullptr && entry->getSourceElementType()->isArrayTy() &&
           llvm::isa<llvm::AllocaInst>(entry->getPointerOperand());
  }

  /// host + (scalar + offset), as emit_access.cpp's host_address() writes it.
  std::optional<DeviceAddress> device_address(const Value* pointer) const {
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

  const char* fault_of_device(const llvm::Instruction& instruction, const Value* pointer,
                              bool writes) {
    const auto address = device_address(pointer);
    if (!address) return "a pointer that is not known";
    if (writes && address->space == offsetof(WarpContext, constants))
      return "a store to constant memory";
    for (const Check& check : checks_) {
      if (covers(check, *address) && dominators_.dominates(check.holds, instruction.getParent()))
        return nullptr;
    }
    return "an access of device memory that no check precedes";
  }

  bool covers(const Check& check, const DeviceAddress& address) const {
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
    return is_in_group(check, address.scalar, low, high) && is_lane_offset(check, address.offset);
  }

  /// The leader's scalar, or a constant of the group from it.
  static bool is_in_group(const Check& check, const Value* scalar, int64_t low, int64_t high) {
    if (scalar == check.scalar) return true;
    const auto* sum = dyn_cast<llvm::BinaryOperator>(scalar);
    if (sum == nullptr || sum->getOpcode() != llvm::Instruction::Add) {
      const auto* one = dyn_cast<llvm::ConstantInt>(scalar);
      const auto* other = dyn_cast<llvm::ConstantInt>(check.scalar);
      if (one == nullptr || other == nullptr) return false;
      const int64_t far = one->getSExtValue() - other->getSExtValue();
      return far >= low && far <= high;
    }
    const auto* far = dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
    return sum->getOperand(0) == check.scalar && far != nullptr && far->getSExtValue() >= low &&
           far->getSExtValue() <= high;
  }

  /// A field of the pattern that was checked, or an element of a lane that all share.
  bool is_lane_offset(const Check& check, const Value* offset) const {
    if (const auto* number = dyn_cast<llvm::ConstantInt>(offset))
      return number->getZExtValue() < kWidestLane;
    const auto* load = dyn_cast<llvm::LoadInst>(offset);
    if (load == nullptr) return false;
    const Place at = place_of(load->getPointerOperand(), layout_);
    return at.base == check.pattern && is_inside(at.offset, 8, offsetof(Pattern, index8));
  }

  std::pair<int64_t, int64_t> span_of(uint32_t window) const {
    const auto step = step_of_.find(window);
    // The second window of a copy has no group.
    return step == step_of_.end() ? std::pair<int64_t, int64_t>{0, 0}
                                  : analysis_.span[step->second];
  }

  /// inttoptr(splat(ptrtoint(address)) + lanes): the lanes' offsets are the pattern's own.
  const char* fault_of_scatter(const llvm::CallInst& call) {
    const Value *first = nullptr, *lanes = nullptr;
    if (!match::match(call.getArgOperand(1), match::m_IntToPtr(match::m_Add(
                                                 match::m_Value(first), match::m_Value(lanes)))))
      return "a scatter that is not known";
    const Value* scalar = llvm::getSplatValue(first);
    const Value* pointer = nullptr;
    if (scalar == nullptr || !match::match(scalar, match::m_PtrToInt(match::m_Value(pointer))))
      return "a scatter that is not known";
    const auto address = device_address(pointer);
    if (!address) return "a scatter that is not known";
    for (const Check& check : checks_) {
      const auto* pattern = dyn_cast<llvm::CallInst>(check.pattern);
      if (pattern != nullptr && are_same(pattern->getArgOperand(1), lanes, call) &&
          covers(check, *address) && dominators_.dominates(check.holds, call.getParent()))
        return nullptr;
    }
    return "a scatter that no check precedes";
  }

  /// One value; or one variable, read twice with nothing written to it before `use`.
  bool are_same(const Value* first, const Value* second, const llvm::Instruction& use) const {
    if (first == second) return true;
    const auto *one = dyn_cast<llvm::SExtInst>(first), *other = dyn_cast<llvm::SExtInst>(second);
    if (one != nullptr && other != nullptr)
      return are_same(one->getOperand(0), other->getOperand(0), use);
    const auto *earlier = dyn_cast<llvm::LoadInst>(first),
               *later = dyn_cast<llvm::LoadInst>(second);
    if (earlier == nullptr || later == nullptr) return false;
    const auto* variable = dyn_cast<llvm::AllocaInst>(earlier->getPointerOperand());
    if (variable == nullptr || later->getPointerOperand() != variable) return false;
    return llvm::none_of(variable->users(), [&](const llvm::User* user) {
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      return store != nullptr && dominators_.dominates(earlier, store) &&
             dominators_.dominates(store, &use);
    });
  }

  /// An element of the context's data, by an index of five bits.
  const char* fault_of_gather(const llvm::CallInst& call) {
    const auto* entry = dyn_cast<llvm::GetElementPtrInst>(call.getArgOperand(0));
    if (entry == nullptr || entry->getNumIndices() != 1 ||
        !entry->getSourceElementType()->isIntegerTy(32))
      return "a gather that is not known";
    const Place at = place_of(entry->getPointerOperand(), layout_);
    const bool in_data = at.base == function_.getArg(0) && at.offset == offsetof(WarpContext, data);
    const Value* index = entry->getOperand(1);
    const bool five_bits = match::match(
        index, match::m_ZExt(match::m_And(match::m_Value(), match::m_SpecificInt(31))));
    return in_data && five_bits ? nullptr : "a gather outside of the context";
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const Analysis& analysis_;
  llvm::DominatorTree dominators_;
  std::map<uint32_t, uint32_t> step_of_;  // by window
  std::vector<Check> checks_;
};

/// Other functions of the module are arithmetic, and the one that looks patterns up.
std::optional<std::string> fault_of_helper(const llvm::Function& function) {
  if (function.getName() == "wl_jit_pattern") return {};
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (instruction.mayReadOrWriteMemory())
        return "memory in a helper: " + function.getName().str();
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> find_unchecked(llvm::Module& module, const Analysis& analysis,
                                          const std::string& name) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const auto fault =
        function.getName() == name ? Verifier(function, analysis).run() : fault_of_helper(function);
    if (fault) return fault;
  }
  return {};
}

}  // namespace warpledger::exec::jit
