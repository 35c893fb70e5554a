#include "warpledger/exec/machine/relocate.h"

#include <fmt/core.h>

#include "warpledger/ptx/module.h"

namespace warpledger::exec::machine {
namespace {

/// R_CUDA_..., as `cuobjdump -elf` names them.
enum Type : uint32_t {
  kAbsolute32 = 1,
  kAbsolute64 = 2,
  kGeneric32 = 3,
  kGeneric64 = 4,
  kFunctionDescriptor64 = 35,
  kLowerWord = 56,  // ABS32_LO_32: bits 32 to 63 of an instruction
  kUpperWord = 57,
};

/// Where functions are said to be that the cubin lacks: no code lies there.
constexpr uint64_t kExternals = 0x5'0000'0000;

/// Where the bits go, and which.
struct Field {
  uint64_t offset = 0;
  size_t bytes = 0;
  bool upper = false;
};

std::optional<Field> field_of(const sass::ElfRelocation& relocation) {
  constexpr uint64_t kImmediateAt = 4;
  switch (relocation.type) {
    case kAbsolute64:
    case kGeneric64:
    case kFunctionDescriptor64:
      return Field{relocation.offset, 8, false};
    case kAbsolute32:
    case kGeneric32:
      return Field{relocation.offset, 4, false};
    case kLowerWord:
      return Field{relocation.offset + kImmediateAt, 4, false};
    case kUpperWord:
      return Field{relocation.offset + kImmediateAt, 4, true};
    default:
      return {};
  }
}

class Relocator {
 public:
  Relocator(const Image& image, const sass::Cubin& cubin)
      : image_(image), cubin_(cubin), code_(place_code(cubin)) {}

  Result<Relocated> run() {
    for (size_t i = 0; i < cubin_.elf.sections.size(); ++i) {
      const std::string_view name = cubin_.elf.sections[i].name;
      if (!name.starts_with(".text") && !name.starts_with(".nv.constant") &&
          name != ".nv.global.init")
        continue;
      std::string bytes(cubin_.elf.sections[i].bytes);
      for (const sass::ElfRelocation& relocation : cubin_.elf.relocations_of(i))
        WL_TRY_STATUS(apply(relocation, bytes));
      done_.sections[static_cast<uint16_t>(i)] = std::move(bytes);
    }
    return std::move(done_);
  }

 private:
  uint64_t address_of(const sass::ElfSymbol& symbol) {
    const auto code = code_.find(symbol.section);
    if (code != code_.end()) return code->second + symbol.value;
    if (const auto variable = variable_address(image_, symbol.name)) return *variable;
    if (symbol.section != 0) return symbol.value;  // a place in a constant bank or shared memory
    for (const auto& [address, name] : done_.externals) {
      if (name == symbol.name) return address;
    }
    const uint64_t address = kExternals + kInstructionBytes * done_.externals.size();
    done_.externals[address] = symbol.name;
    return address;
  }

  Status apply(const sass::ElfRelocation& relocation, std::string& bytes) {
    if (relocation.symbol >= cubin_.elf.symbols.size()) return {};
    const auto field = field_of(relocation);
    if (!field)
      return Diagnostic{
          .message = fmt::format("a relocation of type {} is not known", relocation.type),
          .code = "bad-cubin"};
    if (field->offset + field->bytes > bytes.size()) return {};
    uint64_t value = address_of(cubin_.elf.symbols[relocation.symbol]);
    value += relocation.addend ? static_cast<uint64_t>(*relocation.addend)
                               : sass::read_number(bytes, field->offset, field->bytes);
    if (field->upper) value >>= 32;
    for (size_t i = 0; i < field->bytes; ++i)
      bytes[field->offset + i] = static_cast<char>(value >> (8 * i));
    return {};
  }

  const Image& image_;
  const sass::Cubin& cubin_;
  std::map<uint16_t, uint64_t> code_;
  Relocated done_;
};

}  // namespace

std::optional<uint64_t> variable_address(const Image& image, std::string_view name) {
  const auto& variables = image.module().variables;
  for (uint32_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == name && variables[i].space == ptx::Space::kGlobal)
      return image.address_of(i);
  }
  return {};
}

Result<Relocated> relocate(const Image& image, const sass::Cubin& cubin) {
  return Relocator(image, cubin).run();
}

}  // namespace warpledger::exec::machine
