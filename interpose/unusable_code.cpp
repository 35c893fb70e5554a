#include "interpose/unusable_code.h"

#include <fmt/format.h>

#include "warpledger/gpu/gpu.h"
#include "warpledger/sass/cubin/ptx_text.h"

namespace warpledger::cuda {
namespace {

constexpr size_t kNamedGpus = 3;

std::string rebuild_hint(int target) {
  return fmt::format(
      "rebuild with -lineinfo (keeps the PTX in the machine code), with -arch=sm_{0} (embeds PTX), "
      "or with -gencode arch=compute_{0},code=compute_{0}; "
      "CMake: CMAKE_CUDA_ARCHITECTURES={0}, not {0}-real; PyTorch extension: "
      "TORCH_CUDA_ARCH_LIST=\"{1}.{2}+PTX\"",
      target, target / 10, target % 10);
}

/// "--gpu h100 or --gpu h200": some of that architecture; "" where none is known.
std::string gpus_of(int architecture) {
  std::string text;
  size_t named = 0;
  for (const Gpu& gpu : all_gpus()) {
    const int number = gpu.architecture.major * 10 + gpu.architecture.minor;
    if (number != architecture || named++ >= kNamedGpus) continue;
    text += (text.empty() ? "" : " or ") + fmt::format("--gpu {}", gpu.id);
  }
  return text;
}

}  // namespace

void UnusableCode::add(const FatbinEntry& entry, int target) {
  if (entry.kind == CodeKind::kMachine && entry.architecture == 0) has_cubin_ = true;
  if (entry.kind == CodeKind::kMachine && entry.architecture != 0)
    machine_.insert(architecture_name(entry));
  if (entry.kind != CodeKind::kPtx || choose_ptx({entry}, target) != nullptr) return;
  newer_.insert(architecture_name(entry));
  newer_numbers_.insert(entry.architecture);
}

Diagnostic UnusableCode::describe(const std::string& name, int target) const {
  Diagnostic why{.message = fmt::format("{} contains no code that can run here", name),
                 .hint = rebuild_hint(target),
                 .code = "no-ptx"};
  if (!newer_.empty()) {
    why.message = fmt::format("{} has PTX for {} only, which the profiled sm_{} cannot run", name,
                              fmt::join(newer_, ", "), target);
    const std::string gpus = gpus_of(*newer_numbers_.begin());
    why.hint = fmt::format("{}rebuild with -arch=sm_{}",
                           gpus.empty() ? "" : fmt::format("profile it for {}, or ", gpus), target);
  } else if (has_cubin_) {
    why.message = fmt::format(
        "{} is a cubin without its PTX, and its machine code does not run on sm_{}", name, target);
    why.hint = fmt::format(
        "{}; or load PTX instead: NVRTC with --gpu-architecture=compute_{} and nvrtcGetPTX, not "
        "nvrtcGetCUBIN; nvcc -ptx or -fatbin, not -cubin",
        sass::kKeepPtxHint, target);
  } else if (!machine_.empty()) {
    why.message = fmt::format("{} has machine code for {} only, and no PTX that sm_{} can run",
                              name, fmt::join(machine_, ", "), target);
  }
  return why;
}

}  // namespace warpledger::cuda
