#include "warpledger/profile/resources.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "warpledger/base/file.h"
#include "warpledger/sass/toolchain.h"

namespace warpledger::profile {
namespace {

// Attributes of .nv.info: {format, attribute, value or size}, then the payload of sized ones.
// Names as in cuobjdump -elf.
constexpr uint8_t kSized = 4;
// What a thread gets at least: the 36 published reports of kernels for which ptxas needs 8 to 15
// print 16, on GPUs from Turing to Ada, and their block limits follow from 16.
constexpr int64_t kLeastRegisters = 16;
constexpr uint8_t kRegisterCount = 0x2f, kFrameSize = 0x11, kBarrierCount = 0x4c;

Diagnostic broken(const char* why) {
  return {.message = fmt::format("the cubin cannot be read: {}", why), .code = "bad-cubin"};
}

/// A cubin's sections; every read is checked against its size.
class Cubin {
 public:
  explicit Cubin(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  [[nodiscard]] bool read(uint64_t at, T& value) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return true;
  }

  [[nodiscard]] Status load() {
    Elf64_Ehdr header;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
      return broken("no ELF header");
    }
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!read(header.e_shoff + i * sizeof section, section)) return broken("section table");
      sections_.push_back(section);
    }
    if (header.e_shstrndx >= sections_.size()) return broken("section names");
    names_ = sections_[header.e_shstrndx].sh_offset;
    return {};
  }

  [[nodiscard]] std::string_view text(uint64_t at) const {
    if (at >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(at);
    return rest.substr(0, rest.find('\0'));
  }
  [[nodiscard]] const Elf64_Shdr* find(std::string_view name) const {
    for (const Elf64_Shdr& section : sections_) {
      if (text(names_ + section.sh_name) == name) return &section;
    }
    return nullptr;
  }
  /// The name of symbol `index`.
  [[nodiscard]] std::string_view symbol(uint32_t index) const {
    const Elf64_Shdr* table = find(".symtab");
    Elf64_Sym symbol;
    if (!table || table->sh_link >= sections_.size() ||
        !read(table->sh_offset + index * sizeof symbol, symbol)) {
      return {};
    }
    return text(sections_[table->sh_link].sh_offset + symbol.st_name);
  }
  /// visit(attribute, value, payload address) for each attribute of the section, if it is there.
  template <class Visit>
  void attributes(std::string_view section_name, Visit visit) const {
    const Elf64_Shdr* section = find(section_name);
    if (!section) return;
    const uint64_t end = section->sh_offset + section->sh_size;
    for (uint64_t at = section->sh_offset; at + 4 <= end;) {
      uint8_t format = 0, attribute = 0;
      uint16_t value = 0;
      if (!read(at, format) || !read(at + 1, attribute) || !read(at + 2, value)) return;
      at += 4;
      visit(attribute, value, at);
      if (format == kSized) at += value;
    }
  }

 private:
  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  uint64_t names_ = 0;
};

Result<Resources> assemble(const ptx::Module& module, const ptx::Function& kernel,
                           const std::string& architecture) {
  WL_TRY(const std::string ptxas, find_tool("ptxas"));
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string in = folder.file("kernel.ptx"), out = folder.file("kernel.cubin");
  WL_TRY_STATUS(write_file(in, std::string(module.source->text())));
  // A module for sm_90a is for that very architecture; others run on every later one.
  std::string arch = architecture;
  if (module.target.variant)
    arch = std::string(module.target.text.substr(0, module.target.text.find(',')));
  WL_TRY(const ProcessOutput done, run_tool({ptxas, "-arch=" + arch, "-o", out, in}));
  WL_TRY(const std::string cubin, read_file(out));
  return read_resources(cubin, kernel.name);
}

}  // namespace

Result<Resources> read_resources(std::string_view bytes, std::string_view kernel) {
  Cubin cubin(bytes);
  WL_TRY_STATUS(cubin.load());
  Resources found{.fidelity = Fidelity::kExact, .source = "ptxas"};
  const auto of_kernel = [&](uint64_t at, int64_t& field) {
    uint32_t symbol = 0, value = 0;
    if (cubin.read(at, symbol) && cubin.read(at + 4, value) && cubin.symbol(symbol) == kernel) {
      field = value;
    }
  };
  cubin.attributes(".nv.info", [&](uint8_t attribute, uint16_t, uint64_t at) {
    if (attribute == kRegisterCount) of_kernel(at, found.registers);
    if (attribute == kFrameSize) of_kernel(at, found.local_bytes);
  });
  cubin.attributes(fmt::format(".nv.info.{}", kernel),
                   [&](uint8_t attribute, uint16_t value, uint64_t) {
                     if (attribute == kBarrierCount) found.barriers = value & 0xFF;
                   });
  if (found.registers == 0) return broken("it does not say how many registers the kernel has");
  found.registers = std::max(found.registers, kLeastRegisters);
  return found;
}

Resources find_resources(const ptx::Module& module, const ptx::Function& kernel,
                         const std::string& architecture, int64_t static_shared_bytes) {
  Result<Resources> found = assemble(module, kernel, architecture);
  Resources resources;
  if (found) {
    resources = *found;
  } else {
    resources.registers = kAssumedRegisters;
    resources.barriers = 1;
    resources.source =
        fmt::format("{} registers assumed: {}", kAssumedRegisters, found.error().message);
  }
  resources.static_shared_bytes = static_shared_bytes;
  return resources;
}

}  // namespace warpledger::profile
