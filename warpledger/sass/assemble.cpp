#include "warpledger/sass/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/ptx/printer.h"
#include "warpledger/sass/toolchain.h"

namespace warpledger::sass {
namespace {

/// The first ptxas that takes the text. The toolkit's stands first; PTX newer than it knows goes to
/// the next. What the first one said is the answer when all refuse.
Result<std::pair<std::string, std::string>> run_ptxas(std::string_view text,
                                                      const std::string& arch) {
  WL_TRY(const std::string first, find_tool("ptxas"));
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string in = folder.file("kernel.ptx"), out = folder.file("kernel.cubin");
  WL_TRY_STATUS(write_file(in, std::string(text)));
  Diagnostic refusal;
  for (const std::string& ptxas : find_tools("ptxas")) {
    const auto done = run_tool({ptxas, "-lineinfo", "-arch=" + arch, in, "-o", out});
    if (!done) {
      if (refusal.message.empty()) refusal = done.error();
      continue;
    }
    WL_TRY(std::string cubin, read_file(out));
    return std::pair(ptxas, std::move(cubin));
  }
  return refusal;
}

Result<std::vector<Function>> run_nvdisasm(const std::string& cubin) {
  WL_TRY(const std::string nvdisasm, find_tool("nvdisasm"));
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string in = folder.file("kernel.cubin");
  WL_TRY_STATUS(write_file(in, cubin));
  WL_TRY(const ProcessOutput json, run_process({nvdisasm, "-json", in}));
  if (json.exit_code == 0) {
    if (auto functions = read_json_listing(json.out)) return functions;
  }
  WL_TRY(const ProcessOutput listing, run_tool({nvdisasm, "-c", in}));
  return read_listing(listing.out);
}

/// Several functions of a listing may share a section: their code becomes one.
Status place_code(std::vector<Function> functions, Binary& binary) {
  for (Function& function : functions) {
    const CubinFunction* symbol = binary.cubin.find(function.name);
    if (symbol == nullptr)
      return Diagnostic{
          .message = fmt::format("nvdisasm lists '{}', which the cubin has not", function.name),
          .code = "bad-listing"};
    std::vector<Instruction>& code = binary.code[symbol->section];
    std::move(function.instructions.begin(), function.instructions.end(), std::back_inserter(code));
  }
  for (auto& [section, code] : binary.code) {
    std::stable_sort(code.begin(), code.end(), [](const Instruction& a, const Instruction& b) {
      return a.address < b.address;
    });
  }
  return {};
}

/// The control bits of each instruction, from the bytes themselves: no listing prints them.
void read_controls(Binary& binary) {
  constexpr uint64_t kBytes = 16, kUpper = 8;
  for (auto& [section, code] : binary.code) {
    const std::string_view bytes = binary.cubin.elf.sections[section].bytes;
    for (Instruction& instruction : code) {
      if (instruction.address + kBytes > bytes.size()) continue;
      instruction.control = read_control(read_number(bytes, instruction.address + kUpper, kUpper));
    }
  }
}

Result<std::shared_ptr<const Assembly>> assemble_now(const ptx::Module& module,
                                                     const std::string& arch) {
  auto assembly = std::make_shared<Assembly>();
  assembly->arch = arch;
  assembly->module = module;
  if (!has_own_lines(module)) {
    WL_TRY(assembly->module, ptx::parse(module.source->name(), ptx::print(module)));
  }
  WL_TRY(auto made, run_ptxas(assembly->module.source->text(), arch));
  assembly->ptxas = made.first;
  WL_TRY(assembly->binary, disassemble(std::move(made.second)));
  return std::shared_ptr<const Assembly>(assembly);
}

}  // namespace

std::string default_arch(const ptx::Module& module) { return std::string(module.target.text); }

bool has_own_lines(const ptx::Module& module) {
  const std::string_view text = module.source->text();
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      const size_t begin = instruction.span.begin;
      const size_t line = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
      if (text.substr(line, begin - line).find_first_of("{};") != std::string_view::npos)
        return false;
    }
  }
  return true;
}

Result<Binary> disassemble(std::string cubin) {
  Binary binary;
  binary.bytes = std::make_shared<const std::string>(std::move(cubin));
  WL_TRY(binary.cubin, read_cubin(*binary.bytes));
  WL_TRY(std::vector<Function> functions, run_nvdisasm(*binary.bytes));
  WL_TRY_STATUS(place_code(std::move(functions), binary));
  read_controls(binary);
  return binary;
}

Result<std::shared_ptr<const Assembly>> assemble(const ptx::Module& module,
                                                 const std::string& arch) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::shared_ptr<const Assembly>> kept;
  const std::pair key(arch, std::string(module.source->text()));
  {
    const std::lock_guard lock(mutex);
    if (const auto found = kept.find(key); found != kept.end()) return found->second;
  }
  WL_TRY(std::shared_ptr<const Assembly> assembly, assemble_now(module, arch));
  const std::lock_guard lock(mutex);
  return kept.emplace(key, std::move(assembly)).first->second;
}

}  // namespace warpledger::sass
