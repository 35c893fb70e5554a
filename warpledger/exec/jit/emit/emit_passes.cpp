// LLVM. Optimization of what the emitter wrote.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "warpledger/exec/jit/emit/emit_function.h"

namespace warpledger::exec::jit {
namespace {

void set_option(const char* name, bool value) {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(value);
}

// LLVM would move arithmetic past guesses and barriers, down to the block of its only use: all the
// loads before it are then live at once, and spilled.
void keep_arithmetic_in_place() {
  set_option("instcombine-code-sinking", false);
  set_option("disable-machine-sink", true);
}

// Variables to registers, and what is dead goes: no more.
void tidy(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::DCEPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, analyses);
  }
}

}  // namespace

// O1 does what O2 and O3 do here, in a third of the time; the code is vectors already.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool quick) {
  keep_arithmetic_in_place();
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  if (quick) return tidy(module, functions);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

}  // namespace warpledger::exec::jit
