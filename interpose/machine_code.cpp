#include "interpose/machine_code.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "warpledger/exec/run/machine_code.h"
#include "warpledger/sass/cubin/carrier.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::cuda {
namespace {

/// 86 of a cubin for sm_86; 0 of what is not a cubin.
int architecture_of(const std::string& cubin) {
  const auto read = sass::read_cubin(cubin);
  return read ? read->architecture : 0;
}

bool fits(int architecture, int target) {
  return exec::runs_machine_code(architecture) && architecture / 10 == target / 10 &&
         architecture <= target;
}

}  // namespace

std::string choose_machine_code(const std::vector<FatbinEntry>& entries, int target) {
  std::string best;
  int best_architecture = 0;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != CodeKind::kMachine || entry.architecture > target) continue;
    if (entry.variant == 'a' && entry.architecture != target) continue;  // for sm_100 alone
    // Most entries say what they are for, and need not be unpacked to be passed over.
    const auto is_better = [&](int architecture) {
      return fits(architecture, target) && architecture > best_architecture;
    };
    if (entry.architecture != 0 && !is_better(entry.architecture)) continue;
    Result<std::string> cubin = unpack(entry);
    if (!cubin) continue;
    const int architecture = entry.architecture != 0 ? entry.architecture : architecture_of(*cubin);
    if (!is_better(architecture)) continue;
    best = *std::move(cubin);
    best_architecture = architecture;
  }
  return best;
}

Result<std::string> carry_machine_code(const std::string& file, const std::string& cubin) {
  WL_TRY(std::string carrier, sass::carry_cubin(file, cubin));
  if (toolchain::find_tool("nvdisasm")) return carrier;
  return Diagnostic{
      .message = fmt::format(
          "{} has machine code and no PTX; running it needs nvdisasm, which was not found", file),
      .hint =
          "install the CUDA toolkit's nvdisasm (pip: nvidia-cuda-nvdisasm), or keep the PTX: "
          "compile with -lineinfo",
      .code = "no-ptx"};
}

std::string file_of(const void* address, const std::string& otherwise) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return otherwise;
  return found.dli_fname;
}

}  // namespace warpledger::cuda
