// ELF relocatable files as LLVM writes them for x86-64 and arm64, position-independent. A file on
// disk may be anything: no number of it is used unchecked, and what is not as LLVM writes it is
// refused.
#include "warpledger/exec/jit/runtime/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "warpledger/exec/jit/runtime/relocation.h"

namespace warpledger::exec::jit {
namespace {

// Who calls through a pointer may look at the words before the function (clang's
// -fsanitize=function).
constexpr size_t kPrefixBytes = 64;
constexpr size_t kLargestAlignment = 4096;  // what mmap gives at least

// The jump through the address behind it: jmp *2(%rip), and ldr x16, 8; br x16.
#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
constexpr unsigned char kJump[kAddressInStub] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
constexpr auto* kRelocate = &relocate_x86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
constexpr unsigned char kJump[kAddressInStub] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};
constexpr auto* kRelocate = &relocate_arm64;
#else
constexpr Elf64_Half kMachine = EM_NONE;  // no file is of this machine
constexpr unsigned char kJump[kAddressInStub] = {};
constexpr auto* kRelocate = &relocate_x86_64;
#endif

template <class T>
bool take(std::span<const std::byte> file, uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, file.data() + offset, sizeof(T));
  return true;
}

bool is_inside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

void* address_of(const std::string& name, std::span<const RuntimeFunction> functions) {
  for (const RuntimeFunction& function : functions)
    if (name == function.name) return function.address;
  return dlsym(RTLD_DEFAULT, name.c_str());  // fma, memcpy and their like
}

}  // namespace

class ObjectLoader {
 public:
  ObjectLoader(std::span<const std::byte> file, std::span<const RuntimeFunction> functions)
      : file_(file), functions_(functions) {}

  bool run(LoadedObject& object) {
    return read_header() && read_symbols() && map(object) && place(object) && relocate_all() &&
           make_executable(object);
  }

 private:
  bool read_header() {
    Elf64_Ehdr header;
    if (!take(file_, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_machine != kMachine || header.e_type != ET_REL) return false;
    sections_.resize(header.e_shnum);
    for (size_t i = 0; i < sections_.size(); ++i)
      if (!take(file_, header.e_shoff + i * sizeof(Elf64_Shdr), sections_[i])) return false;
    return true;
  }

  bool read_symbols() {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections_.size()) continue;
      if (!symbols_.empty() || !is_inside(section.sh_offset, section.sh_size, file_.size()))
        return false;
      symbols_.resize(section.sh_size / sizeof(Elf64_Sym));
      names_.resize(symbols_.size());
      const Elf64_Shdr& names = sections_[section.sh_link];
      for (size_t i = 0; i < symbols_.size(); ++i) {
        if (!take(file_, section.sh_offset + i * sizeof(Elf64_Sym), symbols_[i])) return false;
        const uint64_t at = names.sh_offset + symbols_[i].st_name;
        if (at < names.sh_offset || at >= file_.size()) return false;
        const auto* text = reinterpret_cast<const char*>(file_.data()) + at;
        names_[i].assign(text, strnlen(text, file_.size() - at));
      }
    }
    return !symbols_.empty();
  }

  static bool is_mapped(const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_ALLOC) != 0 && section.sh_size != 0;
  }

  // Sections one after another, then a stub for every symbol of others.
  bool map(LoadedObject& object) {
    size_t end = kPrefixBytes, total = 0;
    for (Elf64_Shdr& section : sections_) {
      if (!is_mapped(section)) continue;
      if ((section.sh_flags & SHF_WRITE) != 0 || section.sh_type != SHT_PROGBITS) return false;
      if (!is_inside(section.sh_offset, section.sh_size, file_.size())) return false;
      const size_t align = std::max<size_t>(section.sh_addralign, 1);
      total += section.sh_size;
      // Sections do not overlap: together they are no larger than the file.
      if (align > kLargestAlignment || total > file_.size()) return false;
      section.sh_addr = end = (end + align - 1) / align * align;
      end += section.sh_size;
    }
    stubs_ = (end + kStubBytes - 1) / kStubBytes * kStubBytes;
    object.bytes_ = stubs_ + symbols_.size() * kStubBytes;
    void* memory =
        mmap(nullptr, object.bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    memory_ = object.memory_ = static_cast<std::byte*>(memory);
    return true;
  }

  bool place(LoadedObject& object) {
    for (const Elf64_Shdr& section : sections_) {
      if (!is_mapped(section)) continue;
      std::memcpy(memory_ + section.sh_addr, file_.data() + section.sh_offset, section.sh_size);
    }
    addresses_.resize(symbols_.size());
    for (size_t i = 1; i < symbols_.size(); ++i) {
      const Elf64_Sym& symbol = symbols_[i];
      if (symbol.st_shndx == SHN_UNDEF) {
        if (!place_stub(i)) return false;
      } else if (symbol.st_shndx < sections_.size() && is_mapped(sections_[symbol.st_shndx])) {
        const Elf64_Shdr& section = sections_[symbol.st_shndx];
        if (symbol.st_value > section.sh_size) return false;
        addresses_[i] = memory_ + section.sh_addr + symbol.st_value;
        if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
          object.symbols_.emplace_back(names_[i], addresses_[i]);
      }
    }
    return true;
  }

  // Calls reach 2 GB (arm64: 128 MB); the process's functions may be further away.
  bool place_stub(size_t symbol) {
    void* target = address_of(names_[symbol], functions_);
    if (target == nullptr) return false;
    std::byte* stub = memory_ + stubs_ + symbol * kStubBytes;
    std::memcpy(stub, kJump, sizeof kJump);
    std::memcpy(stub + kAddressInStub, &target, sizeof target);
    addresses_[symbol] = stub;
    return true;
  }

  bool relocate_all() {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_RELA || table.sh_info >= sections_.size()) continue;
      const Elf64_Shdr& section = sections_[table.sh_info];
      if ((section.sh_flags & SHF_ALLOC) == 0) continue;
      if (!is_inside(table.sh_offset, table.sh_size, file_.size())) return false;
      for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela entry;
        if (!take(file_, table.sh_offset + at, entry) || !relocate(section, entry)) return false;
      }
    }
    return true;
  }

  bool relocate(const Elf64_Shdr& section, const Elf64_Rela& entry) {
    const size_t symbol = ELF64_R_SYM(entry.r_info);
    if (symbol >= addresses_.size() || addresses_[symbol] == nullptr) return false;
    if (entry.r_offset >= section.sh_size) return false;  // what is empty has no place
    return kRelocate({.type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info)),
                      .place = memory_ + section.sh_addr + entry.r_offset,
                      .room = section.sh_size - entry.r_offset,
                      .target = addresses_[symbol],
                      .is_outside = symbols_[symbol].st_shndx == SHN_UNDEF,
                      .addend = entry.r_addend});
  }

  // The processor reads code through a cache of its own, which on arm64 does not see what was
  // written.
  static bool make_executable(LoadedObject& object) {
    auto* begin = reinterpret_cast<char*>(object.memory_);
    __builtin___clear_cache(begin, begin + object.bytes_);
    return mprotect(object.memory_, object.bytes_, PROT_READ | PROT_EXEC) == 0;
  }

  std::span<const std::byte> file_;
  std::span<const RuntimeFunction> functions_;
  std::vector<Elf64_Shdr> sections_;  // sh_addr: offset in memory_
  std::vector<Elf64_Sym> symbols_;
  std::vector<std::string> names_;
  std::vector<std::byte*> addresses_;  // by symbol
  std::byte* memory_ = nullptr;
  size_t stubs_ = 0;
};

std::optional<LoadedObject> LoadedObject::load(std::span<const std::byte> file,
                                               std::span<const RuntimeFunction> functions) {
  LoadedObject object;
  if (ObjectLoader(file, functions).run(object)) return object;
  return std::nullopt;
}

LoadedObject::~LoadedObject() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

LoadedObject::LoadedObject(LoadedObject&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      symbols_(std::move(other.symbols_)) {}

void* LoadedObject::find(const std::string& name) const {
  for (const auto& [symbol, address] : symbols_)
    if (symbol == name) return address;
  return nullptr;
}

}  // namespace warpledger::exec::jit
