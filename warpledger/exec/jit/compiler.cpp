// LLVM. From IR to machine code: O1, ORC.
#include "warpledger/exec/jit/compiler.h"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SHA1.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>

#include "warpledger/base/file.h"
#include "warpledger/exec/jit/emitter.h"
#include "warpledger/exec/jit/runtime.h"

namespace warpledger::exec::jit {
namespace {

Diagnostic failure(llvm::Error error) {
  return {.message = "LLVM: " + llvm::toString(std::move(error)), .code = "jit-failed"};
}

// Processor time of this thread: what compiling costs, whoever else is at work.
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The IR before optimisation says all there is to say: its hash names the code.
std::string content_name(const llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  llvm::SHA1 hash;
  hash.update(llvm::StringRef(bytes.data(), bytes.size()));
  hash.update(llvm::sys::getHostCPUName());
  std::string name = "wl_";
  for (const uint8_t byte : hash.final()) name += fmt::format("{:02x}", byte);
  return name;
}

class LlvmCompiler : public Compiler {
 public:
  static Result<std::unique_ptr<Compiler>> make(std::string folder) {
    static std::once_flag once;
    std::call_once(once, [] {
      llvm::InitializeNativeTarget();
      llvm::InitializeNativeTargetAsmPrinter();
    });
    auto compiler = std::make_unique<LlvmCompiler>();
    compiler->folder_ = std::move(folder);
    WL_TRY_STATUS(compiler->start());
    return Result<std::unique_ptr<Compiler>>(std::move(compiler));
  }

  Result<CompiledKernel> compile(const Analysis& analysis, const CompileOptions& options) override {
    const double begun = processor_seconds();
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("kernel", *context);
    module->setDataLayout(jit_->getDataLayout());
    module->setTargetTriple(machine_->getTargetTriple().str());
    llvm::Function* function =
        Emitter(analysis, *module,
                {.record = options.record, .count = options.count, .windows = has_avx512_})
            .run("kernel");
    std::string broken;
    llvm::raw_string_ostream out(broken);
    if (llvm::verifyModule(*module, &out))
      return Diagnostic{.message = "LLVM refuses our code: " + broken, .code = "jit-failed"};
    const std::string name = content_name(*module);
    const std::lock_guard lock(mutex_);
    if (const auto found = kernels_.find(name); found != kernels_.end())
      return CompiledKernel{found->second, 0, false};
    function->setName(name);
    bool from_disk = false;
    WL_TRY_STATUS(add_object(name, *module, from_disk));
    auto address = jit_->lookup(name);
    if (!address) return failure(address.takeError());
    auto* compiled = address->toPtr<KernelFunction>();
    kernels_[name] = compiled;
    return CompiledKernel{compiled, processor_seconds() - begun, from_disk};
  }

 private:
  Status start() {
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder) return failure(builder.takeError());
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    auto machine = builder->createTargetMachine();
    if (!machine) return failure(machine.takeError());
    machine_ = std::move(*machine);
    auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
    if (!jit) return failure(jit.takeError());
    jit_ = std::move(*jit);
    has_avx512_ = builder->getFeatures().getString().find("+avx512bw") != std::string::npos;
    llvm::orc::SymbolMap symbols;
    for (const RuntimeFunction& function : runtime_functions()) {
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

  Status add_object(const std::string& name, llvm::Module& module, bool& from_disk) {
    const std::string path = folder_.empty() ? "" : folder_ + "/" + name + ".o";
    if (!path.empty() && std::filesystem::exists(path)) {
      auto buffer = llvm::MemoryBuffer::getFile(path);
      if (buffer) {
        from_disk = true;
        if (llvm::Error error = jit_->addObjectFile(std::move(*buffer)))
          return failure(std::move(error));
        return {};
      }
    }
    optimise(module, *machine_);
    llvm::orc::SimpleCompiler compiler(*machine_);
    auto object = compiler(module);
    if (!object) return failure(object.takeError());
    if (!path.empty()) WL_TRY_STATUS(keep(path, (*object)->getBuffer()));
    if (llvm::Error error = jit_->addObjectFile(std::move(*object)))
      return failure(std::move(error));
    return {};
  }

  Status keep(const std::string& path, llvm::StringRef bytes) {
    std::error_code ignored;  // write_file says what is wrong
    std::filesystem::create_directories(folder_, ignored);
    return write_file(path, bytes.str());
  }

  std::string folder_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  bool has_avx512_ = false;
  std::mutex mutex_;
  std::map<std::string, KernelFunction> kernels_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> Compiler::create(std::string folder) {
  return LlvmCompiler::make(std::move(folder));
}

}  // namespace warpledger::exec::jit
