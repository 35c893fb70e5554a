#include "warpledger/exec/jit/emit/emit_verify.h"

#include <fmt/core.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/raw_ostream.h>

#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/emit/emit_verify_checks.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {
namespace {

namespace match = llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::Value;

constexpr uint64_t kRecordBytes = 4 * sizeof(trace::Record);  // written at once (emit_record.cpp)

class Verifier {
 public:
  Verifier(llvm::Function& function, const Analysis& analysis)
      : function_(function),
        layout_(function.getParent()->getDataLayout()),
        analysis_(analysis),
        checks_(function, analysis) {}

  std::optional<std::string> run() {
    for (const llvm::BasicBlock& block : function_) {
      if (!checks_.is_reached(block)) continue;
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

  uint64_t size_of(llvm::Type* type) const { return layout_.getTypeStoreSize(type); }

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
    return checks_.count_before(call) < needed ? "a call that believes addresses, unchecked"
                                               : nullptr;
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
    if (const auto field = checks_.field_of(at.base)) {
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

  const char* fault_of_device(const llvm::Instruction& instruction, const Value* pointer,
                              bool writes) {
    const auto address = checks_.device_address(pointer);
    if (!address) return "a pointer that is not known";
    if (writes && address->space == offsetof(WarpContext, constants))
      return "a store to constant memory";
    return checks_.precede(instruction, *address)
               ? nullptr
               : "an access of device memory that no check precedes";
  }

  /// inttoptr(splat(ptrtoint(address)) + lanes): the lanes' offsets are the pattern's own.
  bool lies_at_lanes(const llvm::CallInst& call, const Value* pointers, bool writes) const {
    const Value *first = nullptr, *lanes = nullptr;
    if (!match::match(pointers, match::m_IntToPtr(
                                    match::m_Add(match::m_Value(first), match::m_Value(lanes)))))
      return false;
    const Value* scalar = llvm::getSplatValue(first);
    const Value* pointer = nullptr;
    if (scalar == nullptr || !match::match(scalar, match::m_PtrToInt(match::m_Value(pointer))))
      return false;
    const auto address = checks_.device_address(pointer);
    return address && (!writes || address->space != offsetof(WarpContext, constants)) &&
           checks_.precede(call, *address, lanes);
  }

  const char* fault_of_scatter(const llvm::CallInst& call) const {
    return lies_at_lanes(call, call.getArgOperand(1), true)
               ? nullptr
               : "a scatter that is not known, or that no check precedes";
  }

  const char* fault_of_gather(const llvm::CallInst& call) const {
    const Value* pointers = call.getArgOperand(0);
    return is_in_data(pointers) || lies_at_lanes(call, pointers, false)
               ? nullptr
               : "a gather that is not known, or that no check precedes";
  }

  /// An element of the context's data, by an index of five bits.
  bool is_in_data(const Value* pointers) const {
    const auto* entry = dyn_cast<llvm::GetElementPtrInst>(pointers);
    if (entry == nullptr || entry->getNumIndices() != 1 ||
        !entry->getSourceElementType()->isIntegerTy(32))
      return false;
    const Place at = place_of(entry->getPointerOperand(), layout_);
    const bool in_data = at.base == function_.getArg(0) && at.offset == offsetof(WarpContext, data);
    return in_data &&
           match::match(entry->getOperand(1),
                        match::m_ZExt(match::m_And(match::m_Value(), match::m_SpecificInt(31))));
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const Analysis& analysis_;
  Checks checks_;
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
