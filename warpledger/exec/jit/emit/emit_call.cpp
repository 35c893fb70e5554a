// LLVM. Calls: of the interpreter's functions for what has no lowering, and of the runtime.
#include <llvm/TargetParser/Host.h>

#include <set>

#include "warpledger/exec/jit/analysis/registers.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

void Emitter::set_host_attributes(llvm::Function* function) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", llvm::sys::getHostCPUName());
  // Without both, 512-bit vectors are split and arguments of that size break.
  function->addFnAttr("prefer-vector-width", "512");
  function->addFnAttr("min-legal-vector-width", "512");
}

// wl_jit_pattern(table, offsets, mask, size) -> Pattern*. LLVM is told that it touches no memory,
// so that it moves out of loops; it answers the same for the same arguments, which is what that
// means.
void Emitter::define_pattern_function() {
  llvm::Type *ptr = b_.getPtrTy(), *i32 = b_.getInt32Ty(), *offsets = lanes_of(b_.getInt64Ty());
  llvm::FunctionType* type = llvm::FunctionType::get(ptr, {ptr, offsets, i32, i32}, false);
  pattern_function_ =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, "wl_jit_pattern", module_);
  set_host_attributes(pattern_function_);
  pattern_function_->addFnAttr(llvm::Attribute::NoInline);
  pattern_function_->addFnAttr(llvm::Attribute::OptimizeNone);
  pattern_function_->addFnAttr(llvm::Attribute::WillReturn);
  pattern_function_->addFnAttr(llvm::Attribute::Speculatable);
  pattern_function_->setDoesNotAccessMemory();
  pattern_function_->addRetAttr(llvm::Attribute::NonNull);
  pattern_function_->addRetAttr(
      llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(64)));
  pattern_function_->addRetAttr(
      llvm::Attribute::getWithDereferenceableBytes(module_.getContext(), sizeof(Pattern)));
  b_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", pattern_function_));
  llvm::AllocaInst* copy = b_.CreateAlloca(offsets);
  copy->setAlignment(llvm::Align(64));
  b_.CreateAlignedStore(pattern_function_->getArg(1), copy, llvm::Align(64));
  llvm::FunctionCallee find = module_.getOrInsertFunction(
      "wl_jit_find_pattern", llvm::FunctionType::get(ptr, {ptr, ptr, i32, i32}, false));
  b_.CreateRet(b_.CreateCall(find, {pattern_function_->getArg(0), copy,
                                    pattern_function_->getArg(2), pattern_function_->getArg(3)}));
}

llvm::Value* Emitter::call_runtime(const char* name, llvm::Type* result, std::vector<V> arguments) {
  arguments.insert(arguments.begin(), context_);
  std::vector<llvm::Type*> types;
  for (V argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  return b_.CreateCall(callee, arguments);
}

// Functions that may record, let other warps run, or fail: then they answer 1 and the warp is over.
void Emitter::call_or_leave(const char* name, std::vector<V> arguments) {
  llvm::Type *i64 = b_.getInt64Ty(), *ptr = b_.getPtrTy();
  ahead_.clear();
  set_context_field(b_.CreateLoad(i64, fuel_), offsetof(WarpContext, fuel));
  set_context_field(b_.CreateLoad(ptr, record_), offsetof(WarpContext, record));
  V over = call_runtime(name, b_.getInt32Ty(), std::move(arguments));
  b_.CreateStore(context_field(i64, offsetof(WarpContext, fuel), false), fuel_);
  b_.CreateStore(context_field(ptr, offsetof(WarpContext, record), false), record_);
  Block on = new_block("on");
  b_.CreateCondBr(b_.CreateICmpEQ(over, b_.getInt32(0)), on, leave_);
  b_.SetInsertPoint(on);
}

void Emitter::emit_interpreted(const Step& step, uint32_t pc, const char* name,
                               const std::vector<V>& more) {
  llvm::Type* wide = lanes_of(b_.getInt64Ty());
  V registers = context_field(b_.getPtrTy(), offsetof(WarpContext, registers));
  const auto place = [&](uint32_t slot) {
    return b_.CreatePtrAdd(registers, b_.getInt64(uint64_t{slot} * 256));
  };
  std::set<uint32_t> reads, writes;
  for_each_read(code_, step, [&](uint32_t slot) { reads.insert(slot); });
  for_each_written(code_, step, [&](uint32_t slot) { writes.insert(slot); });
  for (const uint32_t slot : reads) {
    V value = all(read_slot(slot), analysis_.bits[slot]);
    if (analysis_.lazy_nan[slot]) value = tidy_nan(value);
    b_.CreateAlignedStore(b_.CreateZExt(value, wide), place(slot), llvm::Align(8));
  }
  V who = lanes();
  std::vector<V> arguments = {b_.getInt32(pc), mask(), who};
  arguments.insert(arguments.end(), more.begin(), more.end());
  call_or_leave(name, std::move(arguments));
  guard_ = as_bits(who);
  for (const uint32_t slot : writes) {
    V value = b_.CreateAlignedLoad(wide, place(slot), llvm::Align(8));
    write_slot(slot, {nullptr, b_.CreateTrunc(value, lanes_of(integer(analysis_.bits[slot])))});
  }
}

}  // namespace warpledger::exec::jit
