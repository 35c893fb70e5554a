// LLVM. From IR to machine code: O1, ORC. With emit_*.cpp, all of libwarpledger_jit.so.
#include "warpledger/exec/jit/runtime/compiler.h"

#include <fmt/core.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "warpledger/exec/jit/emit/emit_dump.h"
#include "warpledger/exec/jit/emit/emit_function.h"
#include "warpledger/exec/jit/emit/emit_verify.h"
#include "warpledger/exec/jit/runtime/apart.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::jit {
namespace {

Diagnostic failure(llvm::Error error) {
  return {.message = "LLVM: " + llvm::toString(std::move(error)), .code = "jit-failed"};
}

/// What LLVM says against the module; nothing when it is sound.
std::optional<std::string> find_fault(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!llvm::verifyModule(module, &out)) return {};
  return text;
}

/// Keeps the size of the largest stack frame that is too large; says nothing of anything else.
class FrameWatch : public llvm::DiagnosticHandler {
 public:
  explicit FrameWatch(uint64_t& bytes) : bytes_(bytes) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info))
      bytes_ = std::max(bytes_, frame->getStackSize());
    return true;
  }

 private:
  uint64_t& bytes_;
};

class LlvmCompiler : public Compiler {
 public:
  Status start(std::span<const RuntimeFunction> functions) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder) return failure(builder.takeError());
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    builder->setRelocationModel(llvm::Reloc::PIC_);
    builder->setCodeModel(llvm::CodeModel::Small);
    auto machine = builder->createTargetMachine();
    if (!machine) return failure(machine.takeError());
    machine_ = std::move(*machine);
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
    auto quick = builder->createTargetMachine();
    if (!quick) return failure(quick.takeError());
    quick_machine_ = std::move(*quick);
    auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
    if (!jit) return failure(jit.takeError());
    jit_ = std::move(*jit);
    has_avx512_ = builder->getFeatures().getString().find("+avx512bw") != std::string::npos;
    return define(functions);
  }

  Result<std::string> compile(const Analysis& analysis, const CompileOptions& options,
                              const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (options.deadline == nullptr) return compile_here(analysis, options, name);
    // LLVM cannot be interrupted; a process can.
    auto made = run_apart(*options.deadline, [&] { return compile_here(analysis, options, name); });
    if (made || made.error().fallback != Fallback::kMoreTime) return made;
    Diagnostic late = made.error();
    late.message += fmt::format(", kernel '{}'", analysis.code->function->name);
    return late;
  }

  Result<std::string> compile_here(const Analysis& analysis, const CompileOptions& options,
                                   const std::string& name) {
    auto context = std::make_unique<llvm::LLVMContext>();
    uint64_t too_large = 0;
    context->setDiagnosticHandler(std::make_unique<FrameWatch>(too_large));
    auto module = std::make_unique<llvm::Module>("kernel", *context);
    module->setDataLayout(jit_->getDataLayout());
    module->setTargetTriple(machine_->getTargetTriple().str());
    const Mode mode{.record = options.record, .count = options.count, .windows = has_avx512_};
    emit_function(analysis, *module, mode, name);
    for (llvm::Function& function : *module)
      function.addFnAttr("warn-stack-size", std::to_string(options.most_frame_bytes));
    if (const auto why = find_fault(*module))
      return Diagnostic{.message = "LLVM rejected the generated code: " + *why,
                        .code = "jit-failed"};
    if (const auto why = find_unchecked(*module, analysis, name)) {
      return Diagnostic{.message = "compiled code would access memory without a check: " + *why,
                        .code = "jit-unsafe",
                        .fallback = Fallback::kInterpreter};
    }
    const std::string stem = dump_stem(analysis.code->function->name, name);
    if (options.dump.emitted) WL_TRY_STATUS(write_ir(*module, stem + ".emitted.ll"));
    optimize(*module, *machine_, options.quick);
    if (options.dump.ir) WL_TRY_STATUS(write_ir(*module, stem + ".ll"));
    // Its passes have broken what they were given (emit_memory.cpp): code generation then crashes.
    if (const auto why = find_fault(*module)) {
      return Diagnostic{
          .message = "LLVM's optimizer produced invalid code for this kernel: " + *why,
          .code = "jit-unsupported",
          .fallback = Fallback::kInterpreter};
    }
    llvm::TargetMachine& machine = options.quick ? *quick_machine_ : *machine_;
    if (options.dump.assembly) WL_TRY_STATUS(write_assembly(*module, machine, stem + ".s"));
    llvm::orc::SimpleCompiler compiler(machine);
    auto object = compiler(*module);
    if (!object) return failure(object.takeError());
    if (too_large > 0) {
      return Diagnostic{
          .message = fmt::format("this kernel's live registers need a stack frame of {} bytes per "
                                 "warp, more than compiled code has",
                                 too_large),
          .code = "jit-unsupported",
          .fallback = Fallback::kInterpreter};
    }
    return (*object)->getBuffer().str();
  }

  Result<void*> link(const std::string& object, const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (!linked_.contains(name)) {
      auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, name);
      if (llvm::Error error = jit_->addObjectFile(std::move(buffer)))
        return failure(std::move(error));
      auto address = jit_->lookup(name);
      if (!address) return failure(address.takeError());
      linked_[name] = address->toPtr<void*>();
    }
    return linked_[name];
  }

 private:
  Status define(std::span<const RuntimeFunction> functions) {
    llvm::orc::SymbolMap symbols;
    for (const RuntimeFunction& function : functions) {
      symbols[jit_->mangleAndIntern(function.name)] = {
          llvm::orc::ExecutorAddr::fromPtr(function.address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    if (llvm::Error error =
            jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
      return failure(std::move(error));
    auto host = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit_->getDataLayout().getGlobalPrefix());
    if (!host) return failure(host.takeError());
    jit_->getMainJITDylib().addGenerator(std::move(*host));  // fma, memcpy and their like
    return {};
  }

  std::unique_ptr<llvm::TargetMachine> machine_, quick_machine_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  bool has_avx512_ = false;
  std::mutex mutex_;
  std::map<std::string, void*> linked_;
};

}  // namespace
}  // namespace warpledger::exec::jit

extern "C" {

[[gnu::visibility("default")]] const char* wl_jit_version() {
  static const std::string version = warpledger::exec::jit::library_version();
  return version.c_str();
}

[[gnu::visibility("default")]] warpledger::exec::jit::Compiler* wl_jit_open(
    std::span<const warpledger::exec::jit::RuntimeFunction> functions,
    warpledger::Diagnostic& why) {
  auto compiler = std::make_unique<warpledger::exec::jit::LlvmCompiler>();
  const warpledger::Status started = compiler->start(functions);
  if (started) return compiler.release();
  why = started.error();
  return nullptr;
}
}
