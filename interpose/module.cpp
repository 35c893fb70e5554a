#include "interpose/module.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "interpose/device_runtime.h"
#include "interpose/embedded_ptx.h"
#include "interpose/link.h"
#include "interpose/machine_code.h"
#include "interpose/unusable_code.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/sass/cubin/carrier.h"

namespace warpledger::cuda {
namespace {

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

struct Wrapper {  // .nvFatBinSegment
  uint32_t magic, version;
  const void* data;
  const void* const* prelinked;
};

// A cubin's size, from its ELF header: the section headers stand last, the program headers behind.
uint64_t elf_bytes(const char* elf) {
  uint64_t sections = 0, programs = 0;
  uint16_t section_bytes = 0, section_count = 0, program_bytes = 0, program_count = 0;
  std::memcpy(&programs, elf + 32, 8);
  std::memcpy(&sections, elf + 40, 8);
  std::memcpy(&program_bytes, elf + 54, 2);
  std::memcpy(&program_count, elf + 56, 2);
  std::memcpy(&section_bytes, elf + 58, 2);
  std::memcpy(&section_count, elf + 60, 2);
  return std::max(sections + uint64_t{section_bytes} * section_count,
                  programs + uint64_t{program_bytes} * program_count);
}

// A cubin that keeps its PTX stands beside it, for the PTX's target. One that does not is kept for
// what it says when a kernel is asked of it.
Result<std::string> fatbin_of_cubin(const std::string& cubin) {
  const EmbeddedPtx kept = embedded_ptx(cubin);
  if (kept.texts.empty()) return write_fatbin({}, cubin, 0, 0);
  WL_TRY(const std::string ptx, link_ptx(kept.texts));
  return write_fatbin(ptx, cubin, kept.architecture, kept.variant);
}

// The PTX that the target takes, of all fatbins. Machine code is looked into only where none has
// any: a linked program has the machine code of all its files in one fatbin and their PTX in
// others.
Result<std::vector<std::string>> chosen_texts(const std::vector<std::vector<FatbinEntry>>& fatbins,
                                              int target) {
  std::vector<std::string> texts;
  for (const std::vector<FatbinEntry>& entries : fatbins) {
    const FatbinEntry* best = choose_ptx(entries, target);
    if (best == nullptr) continue;
    WL_TRY(std::string text, unpack(*best));
    if (!text.empty()) texts.push_back(std::move(text));
  }
  if (!texts.empty()) return texts;
  for (const std::vector<FatbinEntry>& entries : fatbins)
    std::ranges::move(choose_embedded_ptx(entries, target).texts, std::back_inserter(texts));
  return texts;
}

// No branch goes back, and nothing is called.
bool is_straight(const ptx::Module& module, const ptx::Function& function) {
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const ptx::Op op = module.spelling(instruction).op();
    if (op == ptx::Op::kCall || op == ptx::Op::kBrxIdx) return false;
    if (op != ptx::Op::kBra) continue;
    for (const ptx::Operand& operand : function.operands_of(instruction)) {
      if (operand.kind == ptx::OperandKind::kLabel &&
          function.labels[operand.index].instruction <= i)
        return false;
    }
  }
  return true;
}

}  // namespace

std::vector<uint64_t> parameter_offsets(const Kernel& kernel) {
  std::vector<uint64_t> offsets;
  uint64_t at = 0;
  for (const uint32_t param : kernel.function->signature.params) {
    const ptx::Variable& variable = kernel.module->code().variables[param];
    const uint64_t align = std::max<uint32_t>(1, variable.alignment());
    at = (at + align - 1) / align * align;
    offsets.push_back(at);
    at += variable.bytes();
  }
  return offsets;
}

Status Module::add_image(const void* image) {
  uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kWrapperMagic) {
    Wrapper wrapper{};
    std::memcpy(&wrapper, image, sizeof wrapper);
    if (wrapper.data != nullptr) WL_TRY_STATUS(add_image(wrapper.data));
    for (auto at = wrapper.version == 2 ? wrapper.prelinked : nullptr; at != nullptr && *at; ++at)
      WL_TRY_STATUS(add_image(*at));
    return {};
  }
  const auto* text = static_cast<const char*>(image);
  if (magic == kFatbinMagic) {
    owned_.push_back(std::make_unique<std::string>(fatbin_at(image)));
  } else if (std::memcmp(text, kElf.data(), kElf.size()) == 0) {
    WL_TRY(std::string fatbin, fatbin_of_cubin(std::string(text, elf_bytes(text))));
    owned_.push_back(std::make_unique<std::string>(std::move(fatbin)));
  } else {
    owned_.push_back(std::make_unique<std::string>(write_fatbin(text, {}, 0, 0)));
  }
  fatbins_.push_back(owned_.back()->data());
  return {};
}

Result<std::string> Module::choose(int target) const {
  std::vector<std::vector<FatbinEntry>> all;
  for (const void* fatbin : fatbins_) {
    WL_TRY(std::vector<FatbinEntry> entries, read_fatbin(fatbin_at(fatbin)));
    all.push_back(std::move(entries));
  }
  WL_TRY(std::vector<std::string> texts, chosen_texts(all, target));
  if (!texts.empty()) {
    WL_TRY(std::string linked, link_ptx(texts));
    return with_device_runtime(std::move(linked));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string cubin = choose_machine_code(all[i], target);
    if (!cubin.empty()) return carry_machine_code(file_of(fatbins_[i], name_), cubin);
  }
  UnusableCode others;
  for (const std::vector<FatbinEntry>& entries : all)
    for (const FatbinEntry& entry : entries) others.add(entry, target);
  return others.describe(name_, target);
}

Status Module::load(int target, exec::DeviceMemory& memory) {
  if (image_) return {};
  if (failure_) return *failure_;
  const auto loaded = [&]() -> Status {
    WL_TRY(std::string text, choose(target));
    WL_TRY(ptx::Module parsed, ptx::parse(name_ + ".ptx", std::move(text)));
    code_ = std::make_shared<const ptx::Module>(std::move(parsed));
    WL_TRY(image_, exec::Image::load(*code_, memory));
    return {};
  };
  if (const Status status = loaded(); !status) {
    failure_ = status.error();
    return *failure_;
  }
  for (const ptx::Function& function : code_->functions) {
    if (!function.is_entry || !function.has_body) continue;
    auto kernel = std::make_unique<Kernel>();
    kernel->module = this;
    kernel->name = function.name;
    kernel->function = &function;
    // What a carrier declares says nothing of how long its machine code runs.
    const bool is_carrier = sass::is_carrier(*code_);
    kernel->is_straight = !is_carrier && is_straight(*code_, function);
    if (is_carrier) kernel->interpreted = UINT64_MAX / 2;
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

bool Module::has_variables_of_a_device() const {
  bool has = false;
  for (const ptx::Variable& variable : code_->variables) {
    if (variable.is_managed) return false;
    has |= variable.linkage != ptx::Linkage::kExtern &&
           (variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst);
  }
  return has;
}

Result<Module*> Module::on(int device, int target, exec::DeviceMemory& memory) {
  if (device == 0 || is_copy_ || !has_variables_of_a_device()) return this;
  std::unique_ptr<Module>& copy = copies_[device];
  if (copy == nullptr) {
    copy = std::make_unique<Module>(name_);
    copy->fatbins_ = fatbins_;  // which stay: the program's, or ours
    copy->is_copy_ = true;
  }
  WL_TRY_STATUS(copy->load(target, memory));
  return copy.get();
}

Result<Kernel*> Module::kernel(const std::string& name) {
  for (const auto& kernel : kernels_) {
    if (kernel->name == name) return kernel.get();
  }
  return Diagnostic{.message = fmt::format("there is no kernel '{}' in the PTX of {}", name, name_),
                    .code = "unknown-kernel"};
}

Result<Symbol> Module::symbol(const std::string& name) {
  for (uint32_t i = 0; i < code_->variables.size(); ++i) {
    const ptx::Variable& variable = code_->variables[i];
    const bool is_constant = variable.space == ptx::Space::kConst;
    if (variable.name != name || variable.linkage == ptx::Linkage::kExtern) continue;
    if (!is_constant && variable.space != ptx::Space::kGlobal) continue;
    const uint64_t at = image_->address_of(i);
    Symbol symbol{
        .size = variable.bytes(), .is_constant = is_constant, .is_managed = variable.is_managed};
    symbol.bytes = is_constant ? image_->constants().data() + at
                               : image_->memory().find(at, std::max<uint64_t>(symbol.size, 1));
    symbol.address = is_constant ? 0 : at;
    return symbol;
  }
  return Diagnostic{
      .message = fmt::format("there is no variable '{}' in the PTX of {}", name, name_),
      .code = "unknown-symbol"};
}

}  // namespace warpledger::cuda
