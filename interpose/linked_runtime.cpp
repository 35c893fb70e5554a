#include "interpose/linked_runtime.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace warpledger::cuda {
namespace {

constexpr const char* kWorkWithout[] = {"libnvrtc", "libnvJitLink", "libnvptxcompiler", "libcuda."};

}  // namespace

std::string library_at(const void* code) {
  Dl_info found = {};
  if (dladdr(code, &found) == 0 || found.dli_fname == nullptr) return "";
  return found.dli_fname;
}

std::string describe_linked_runtime(const std::string& library) {
  const std::string name = library.substr(library.rfind('/') + 1);
  for (const char* one : kWorkWithout) {
    if (name.starts_with(one)) return "";
  }
  return fmt::format(
      "{} contains NVIDIA's CUDA runtime, which works only with NVIDIA's driver: its CUDA calls "
      "fail here (docs/programs.md, \"A runtime inside a library\")",
      library.empty() ? "a library" : library);
}

}  // namespace warpledger::cuda
