#include "warpledger/store/key.h"

#include <fmt/core.h>
#include <link.h>
#include <sys/stat.h>

#include "warpledger/base/check.h"
#include "warpledger/base/hash.h"

namespace warpledger::store {
namespace {

using namespace std::string_view_literals;

constexpr size_t kAlignment = 4;  // of the parts of an ELF note

size_t padded(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

/// The build id among the notes at `at`, in hexadecimal.
std::string build_id(const char* at, const char* end) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* name = at + sizeof(*note);
    const char* content = name + padded(note->n_namesz);
    at = content + padded(note->n_descsz);
    if (at > end) return {};
    if (note->n_type != NT_GNU_BUILD_ID || std::string_view(name, note->n_namesz) != "GNU\0"sv) {
      continue;
    }
    std::string hex;
    for (size_t i = 0; i < note->n_descsz; ++i) {
      hex += fmt::format("{:02x}", static_cast<unsigned char>(content[i]));
    }
    return hex;
  }
  return {};
}

bool holds(const dl_phdr_info& object, uintptr_t address) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= begin && address < begin + part.p_memsz) return true;
  }
  return false;
}

int visit(dl_phdr_info* object, size_t, void* result) {
  if (!holds(*object, reinterpret_cast<uintptr_t>(&build_identity))) return 0;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const char* begin = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    std::string& id = *static_cast<std::string*>(result);
    id = build_id(begin, begin + part.p_memsz);
    if (!id.empty()) return 1;
  }
  return 1;
}

}  // namespace

std::string build_identity() {
  static const std::string id = [] {
    std::string found;
    dl_iterate_phdr(visit, &found);
    return found;
  }();
  return id;
}

std::string file_identity(const std::string& path) {
  struct stat seen = {};
  if (::stat(path.c_str(), &seen) != 0) return {};
  return fmt::format("{} {} {}.{:09}", path, seen.st_size, seen.st_mtim.tv_sec,
                     seen.st_mtim.tv_nsec);
}

Key::Key(std::string_view kind) {
  add("kind", kind);
  add("build", build_identity());
}

Key& Key::add(std::string_view name, std::string_view value) {
  WL_CHECK(name.find('\n') == std::string_view::npos);
  fields_ += fmt::format("{} {}\n", name, sha256(value));
  return *this;
}

Key& Key::add(std::string_view name, uint64_t value) { return add(name, std::to_string(value)); }

std::string Key::hex() const { return sha256(fields_); }

}  // namespace warpledger::store
