#include "warpledger/sass/assemble.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>

#include "warpledger/ptx/parser.h"
#include "warpledger/ptx/printer.h"
#include "warpledger/toolchain/nvdisasm.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::sass {
namespace {

/// Answers by all that they follow from, for as long as the process runs; a server that has seen
/// many kernels begins again.
template <class T>
class Kept {
 public:
  using Answer = Result<std::shared_ptr<const T>>;
  using Key = std::vector<std::string>;

  /// The answer for `key`, made at the first call. Two threads may make it, one is kept.
  template <class Make>
  Answer find(const Key& key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = answers_.find(key); found != answers_.end()) return found->second;
    }
    Answer answer = make();
    const std::lock_guard lock(mutex_);
    if (answers_.size() >= kMost) answers_.clear();
    return answers_.emplace(key, std::move(answer)).first->second;
  }

 private:
  static constexpr size_t kMost = 1000;
  std::mutex mutex_;
  std::map<Key, Answer> answers_;
};

std::vector<std::string> key_of(const ptx::Module& module, const std::string& arch,
                                std::initializer_list<std::string_view> tools) {
  std::vector<std::string> key = {arch, std::string(module.source->text())};
  for (const std::string_view tool : tools) {
    for (std::string& path : toolchain::find_tools(tool)) key.push_back(std::move(path));
  }
  return key;
}

Result<std::vector<Function>> list_functions(const std::string& cubin) {
  WL_TRY(const std::string nvdisasm, toolchain::find_tool("nvdisasm"));
  if (const auto json = toolchain::run_nvdisasm(nvdisasm, cubin, toolchain::ListingForm::kJson)) {
    if (auto functions = read_json_listing(*json)) return functions;
  }
  WL_TRY(const std::string text,
         toolchain::run_nvdisasm(nvdisasm, cubin, toolchain::ListingForm::kText));
  return read_listing(text);
}

/// Several functions of a listing may share a section: their code becomes one.
Status place_code(std::vector<Function> functions, Binary& binary) {
  for (Function& function : functions) {
    const CubinFunction* symbol = binary.cubin.find(function.name);
    if (symbol == nullptr)
      return Diagnostic{
          .message =
              fmt::format("nvdisasm lists '{}', but the cubin does not contain it", function.name),
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

Kept<Object>::Answer compile_now(const ptx::Module& module, const std::string& arch) {
  WL_TRY(const std::string toolkit, toolchain::find_tool("ptxas"));  // Triton's alone is none
  auto object = std::make_shared<Object>();
  object->arch = arch;
  object->module = module;
  if (!has_own_lines(module)) {
    WL_TRY(object->module, ptx::parse(module.source->name(), ptx::print(module)));
  }
  WL_TRY(toolchain::PtxasOutput made,
         toolchain::run_ptxas(toolchain::find_tools("ptxas"), object->module.source->text(), arch));
  object->ptxas = std::move(made.program);
  object->bytes = std::make_shared<const std::string>(std::move(made.cubin));
  WL_TRY(object->cubin, read_cubin(*object->bytes));
  return std::shared_ptr<const Object>(std::move(object));
}

Kept<Assembly>::Answer list(const Object& object) {
  auto assembly = std::make_shared<Assembly>(Assembly{.module = object.module,
                                                      .arch = object.arch,
                                                      .ptxas = object.ptxas,
                                                      .binary = {object.bytes, object.cubin, {}}});
  WL_TRY(std::vector<Function> functions, list_functions(*object.bytes));
  WL_TRY_STATUS(place_code(std::move(functions), assembly->binary));
  read_controls(assembly->binary);
  return std::shared_ptr<const Assembly>(std::move(assembly));
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

Result<std::shared_ptr<const Object>> compile(const ptx::Module& module, const std::string& arch) {
  static Kept<Object> kept;
  return kept.find(key_of(module, arch, {"ptxas"}), [&] { return compile_now(module, arch); });
}

Result<std::shared_ptr<const Assembly>> assemble(const ptx::Module& module,
                                                 const std::string& arch) {
  static Kept<Assembly> kept;
  return kept.find(key_of(module, arch, {"ptxas", "nvdisasm"}), [&]() -> Kept<Assembly>::Answer {
    WL_TRY(const std::shared_ptr<const Object> object, compile(module, arch));
    return list(*object);
  });
}

}  // namespace warpledger::sass
