#include "interpose/compilers/real.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "interpose/core.h"

namespace warpledger::cuda::compilers {
namespace {

namespace fs = std::filesystem;

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

/// Where NVIDIA's packages of PyPI put their libraries, beside a library of another package.
void add_packages(const std::string& library, std::vector<fs::path>& to) {
  constexpr std::string_view kPackages = "/site-packages/";
  const size_t at = library.rfind(kPackages);
  if (at == std::string::npos) return;
  to.push_back(fs::path(library.substr(0, at + kPackages.size())) / "nvidia/cu13/lib");
}

/// The search path of a library of the program that was linked with `file`.
void add_search_path(const link_map& library, const std::string& file, std::vector<fs::path>& to) {
  const ElfW(Addr) table = string_table(library);
  if (table == 0) return;
  const auto* strings = reinterpret_cast<const char*>(table);
  bool needs = false;
  std::string paths;
  for (const ElfW(Dyn)* at = library.l_ld; at->d_tag != DT_NULL; ++at) {
    if (at->d_tag == DT_NEEDED) needs |= std::string(strings + at->d_un.d_val) == file;
    if (at->d_tag == DT_RPATH || at->d_tag == DT_RUNPATH) paths = strings + at->d_un.d_val;
  }
  if (needs) add_folders(paths, fs::path(library.l_name).parent_path().string(), to);
}

/// In the loader's order: search paths of libraries, LD_LIBRARY_PATH, Python's packages, where CUDA
/// is installed.
std::vector<fs::path> folders(const std::string& file) {
  std::vector<fs::path> all;
  auto* first = static_cast<link_map*>(nullptr);
  if (void* program = dlopen(nullptr, RTLD_LAZY); program != nullptr)
    dlinfo(program, RTLD_DI_LINKMAP, &first);
  for (const link_map* at = first; at != nullptr; at = at->l_next) add_search_path(*at, file, all);
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) add_folders(path, "", all);
  for (const link_map* at = first; at != nullptr; at = at->l_next) add_packages(at->l_name, all);
  const char* home = std::getenv("CUDA_HOME");
  all.push_back(fs::path(home == nullptr ? "/usr/local/cuda" : home) / "lib64");
#if defined(__aarch64__)
  all.emplace_back("/usr/lib/aarch64-linux-gnu");
#else
  all.emplace_back("/usr/lib/x86_64-linux-gnu");
#endif
  all.emplace_back("/usr/lib64");
  return all;
}

fs::path own_folder() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &self) == 0) return {};
  return fs::weakly_canonical(fs::path(self.dli_fname)).parent_path();
}

void* open(const std::string& file, const char* name) {
  const fs::path own = own_folder();
  for (const fs::path& folder : folders(file)) {
    std::error_code ignored;
    if (fs::weakly_canonical(folder, ignored) == own || !fs::exists(folder / file, ignored))
      continue;
    if (void* library = dlopen((folder / file).c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND))
      return library;
  }
  Core::say(std::string(name) + " (" + file +
            ") was not found: add its directory to LD_LIBRARY_PATH");
  return nullptr;
}

}  // namespace

RealLibrary::RealLibrary(const char* file, const char* name) : library_(open(file, name)) {}

void* RealLibrary::symbol(const char* name) const {
  return library_ == nullptr ? nullptr : dlsym(library_, name);
}

}  // namespace warpledger::cuda::compilers
