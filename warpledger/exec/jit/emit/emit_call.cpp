// LLVM. Calls: of the interpreter's functions for what has no lowering, and of the runtime.
#include "warpledger/exec/jit/emit/emit_call.h"

#include <llvm/TargetParser/Host.h>

#include <set>

#include "warpledger/exec/jit/analysis/registers.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {

void set_host_attributes(llvm::Function* function) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", llvm::sys::getHostCPUName());
  // Without both, 512-bit vectors are split and arguments of that size break.
  function->addFnAttr("prefer-vector-width", "512");
  function->addFnAttr("min-legal-vector-width", "512");
  function->addFnAttr("probe-stack", "inline-asm");  // no frame steps over the guard page
}

// wl_jit_pattern(table, offsets, mask, size) -> Pattern*. LLVM is told that it touches no memory,
// so that it moves out of loops; it answers the same for the same arguments, which is what that
// means.
void define_pattern_function(Emitter& e) {
  llvm::Type *ptr = e.getPtrTy(), *i32 = e.getInt32Ty(), *offsets = e.lanes_of(e.getInt64Ty());
  llvm::FunctionType* type = llvm::FunctionType::get(ptr, {ptr, offsets, i32, i32}, false);
  e.pattern_function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, "wl_jit_pattern", e.module);
  set_host_attributes(e.pattern_function);
  e.pattern_function->addFnAttr(llvm::Attribute::NoInline);
  e.pattern_function->addFnAttr(llvm::Attribute::OptimizeNone);
  e.pattern_function->addFnAttr(llvm::Attribute::WillReturn);
  e.pattern_function->addFnAttr(llvm::Attribute::Speculatable);
  e.pattern_function->setDoesNotAccessMemory();
  e.pattern_function->addRetAttr(llvm::Attribute::NonNull);
  e.pattern_function->addRetAttr(
      llvm::Attribute::getWithAlignment(e.module.getContext(), llvm::Align(64)));
  e.pattern_function->addRetAttr(
      llvm::Attribute::getWithDereferenceableBytes(e.module.getContext(), sizeof(Pattern)));
  e.SetInsertPoint(llvm::BasicBlock::Create(e.module.getContext(), "entry", e.pattern_function));
  llvm::AllocaInst* copy = e.CreateAlloca(offsets);
  copy->setAlignment(llvm::Align(64));
  e.CreateAlignedStore(e.pattern_function->getArg(1), copy, llvm::Align(64));
  llvm::FunctionCallee find = e.module.getOrInsertFunction(
      "wl_jit_find_pattern", llvm::FunctionType::get(ptr, {ptr, ptr, i32, i32}, false));
  e.CreateRet(e.CreateCall(find, {e.pattern_function->getArg(0), copy,
                                  e.pattern_function->getArg(2), e.pattern_function->getArg(3)}));
}

V call_runtime(Emitter& e, const char* name, llvm::Type* result, std::vector<V> arguments) {
  arguments.insert(arguments.begin(), e.context);
  std::vector<llvm::Type*> types;
  for (V argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      e.module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  return e.CreateCall(callee, arguments);
}

void call_or_leave(Emitter& e, const char* name, std::vector<V> arguments) {
  llvm::Type *i64 = e.getInt64Ty(), *ptr = e.getPtrTy();
  e.ahead.clear();
  set_context_field(e, e.CreateLoad(i64, e.variables.fuel), offsetof(WarpContext, fuel));
  set_context_field(e, e.CreateLoad(ptr, e.variables.record), offsetof(WarpContext, record));
  V over = call_runtime(e, name, e.getInt32Ty(), std::move(arguments));
  e.CreateStore(context_field(e, i64, offsetof(WarpContext, fuel), false), e.variables.fuel);
  e.CreateStore(context_field(e, ptr, offsetof(WarpContext, record), false), e.variables.record);
  Block on = e.new_block("on");
  e.CreateCondBr(e.CreateICmpEQ(over, e.getInt32(0)), on, e.leave);
  e.SetInsertPoint(on);
}

namespace {

const char* runtime_function(const Step& step) {
  const ptx::Op op = step.spelling().op();
  return op == ptx::Op::kAtom || op == ptx::Op::kRed ? "wl_jit_update" : "wl_jit_interpret";
}

}  // namespace

void emit_interpreted(Emitter& e, const Step& step, const char* name, const std::vector<V>& more) {
  if (name == nullptr) name = runtime_function(step);
  llvm::Type* wide = e.lanes_of(e.getInt64Ty());
  V registers = context_field(e, e.getPtrTy(), offsetof(WarpContext, registers));
  const auto place = [&](uint32_t slot) {
    return e.CreatePtrAdd(registers, e.getInt64(uint64_t{slot} * 256));
  };
  std::set<uint32_t> reads, writes;
  for_each_read(e.code, step, [&](uint32_t slot) { reads.insert(slot); });
  for_each_written(e.code, step, [&](uint32_t slot) { writes.insert(slot); });
  for (const uint32_t slot : reads) {
    V value = all(e, read_slot(e, slot), e.analysis.bits[slot]);
    if (e.analysis.lazy_nan[slot]) value = tidy_nan(e, value);
    e.CreateAlignedStore(e.CreateZExt(value, wide), place(slot), llvm::Align(8));
  }
  V who = e.lanes();
  std::vector<V> arguments = {e.getInt32(e.pc), e.mask(), who};
  arguments.insert(arguments.end(), more.begin(), more.end());
  call_or_leave(e, name, std::move(arguments));
  e.guard = e.as_bits(who);
  for (const uint32_t slot : writes) {
    V value = e.CreateAlignedLoad(wide, place(slot), llvm::Align(8));
    value = e.CreateTrunc(value, e.lanes_of(e.integer(e.analysis.bits[slot])));
    if (e.analysis.holding[slot] == Holding::kUniform) {  // without a guard (answers_alike())
      e.CreateStore(in_first_lane(e, value, who), e.variables.scalar[slot]);
    } else {
      write_slot(e, slot, {nullptr, value});
    }
  }
}

}  // namespace warpledger::exec::jit
