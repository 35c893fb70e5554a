#include "interpose/nvrtc/real.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "interpose/core.h"

namespace warpledger::cuda::nvrtc {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFile = "libnvrtc.so.13";

/// "a:b", with $ORIGIN where the loader reads it.
void add_folders(const std::string& list, const std::string& origin, std::vector<fs::path>& to) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(':', at), list.size());
    std::string one = list.substr(at, end - at);
    const size_t variable = one.find("$ORIGIN");
    if (variable != std::string::npos) one.replace(variable, 7, origin);
    if (!one.empty()) to.emplace_back(one);
    at = end + 1;
  }
}

/// The kernel's own (vdso) has an offset there, not an address.
ElfW(Addr) string_table(const link_map& library) {
  for (const ElfW(Dyn)* at = library.l_ld; at != nullptr && at->d_tag != DT_NULL; ++at) {
    if (at->d_tag != DT_STRTAB) continue;
    return at->d_un.d_ptr < library.l_addr ? library.l_addr + at->d_un.d_ptr : at->d_un.d_ptr;
  }
  return 0;
}

/// The search path of a library of the program that was linked with NVRTC.
void add_search_path(const link_map& library, std::vector<fs::path>& to) {
  const ElfW(Addr) table = string_table(library);
  if (table == 0) return;
  const auto* strings = reinterpret_cast<const char*>(table);
  bool needs = false;
  std::string paths;
  for (const ElfW(Dyn)* at = library.l_ld; at->d_tag != DT_NULL; ++at) {
    if (at->d_tag == DT_NEEDED) needs |= std::string(strings + at->d_un.d_val) == kFile;
    if (at->d_tag == DT_RPATH || at->d_tag == DT_RUNPATH) paths = strings + at->d_un.d_val;
  }
  if (needs) add_folders(paths, fs::path(library.l_name).parent_path().string(), to);
}

/// In the loader's order: search paths of libraries, LD_LIBRARY_PATH, where CUDA is installed.
std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  auto* first = static_cast<link_map*>(nullptr);
  if (void* program = dlopen(nullptr, RTLD_LAZY); program != nullptr)
    dlinfo(program, RTLD_DI_LINKMAP, &first);
  for (const link_map* at = first; at != nullptr; at = at->l_next) add_search_path(*at, all);
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) add_folders(path, "", all);
  const char* home = std::getenv("CUDA_HOME");
  all.push_back(fs::path(home == nullptr ? "/usr/local/cuda" : home) / "lib64");
  all.emplace_back("/usr/lib/x86_64-linux-gnu");
  all.emplace_back("/usr/lib64");
  return all;
}

fs::path own_folder() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&find), &self) == 0) return {};
  return fs::weakly_canonical(fs::path(self.dli_fname)).parent_path();
}

void* open() {
  const fs::path own = own_folder();
  for (const fs::path& folder : folders()) {
    std::error_code ignored;
    if (fs::weakly_canonical(folder, ignored) == own || !fs::exists(folder / kFile, ignored))
      continue;
    if (void* library = dlopen((folder / kFile).c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND))
      return library;
  }
  Core::say("NVRTC (libnvrtc.so.13) was not found: put its folder into LD_LIBRARY_PATH");
  return nullptr;
}

}  // namespace

void* find(const char* name) {
  static void* library = open();
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace warpledger::cuda::nvrtc
