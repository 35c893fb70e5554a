// LLVM. Code as text, for debugging the compiler (dump.h).
#include "warpledger/exec/jit/emit/emit_dump.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <filesystem>

#include "warpledger/base/file.h"

namespace warpledger::exec::jit {
namespace {

Status write_text(const std::string& path, const std::string& text) {
  std::error_code failed;  // write_file() says what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  return write_file(path, text);
}

}  // namespace

Status write_ir(const llvm::Module& module, const std::string& path) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return write_text(path, out.str());
}

// Of a copy: what makes machine code changes the module that it reads.
Status write_assembly(const llvm::Module& module, llvm::TargetMachine& machine,
                      const std::string& path) {
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return Diagnostic{.message = "LLVM cannot emit assembly for this CPU", .code = "jit-failed"};
  passes.run(*copy);
  return write_text(path, text.str().str());
}

}  // namespace warpledger::exec::jit
