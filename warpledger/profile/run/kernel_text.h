// From a .cu, .ptx or .cubin file to PTX, by nvcc where it is needed, and only once for the same
// input.
#pragma once

#include <string>
#include <vector>

#include "warpledger/ptx/forward.h"
#include "warpledger/store/store.h"

namespace warpledger::profile {

struct KernelFile {
  std::string path = {};                // .cu, .ptx or .cubin, as the user named it
  std::string arch = {};                // what nvcc compiles a .cu file for: sm_80
  std::vector<std::string> flags = {};  // further options for nvcc
};

/// nvcc turns a .cu file into PTX, with line numbers; PTX is read as it is, and out of a cubin that
/// was made with -lineinfo; one that was not is carried as it is (sass/cubin/carrier.h). What nvcc
/// made is kept in `store`, if there is one, and found there as long as no file that it read has
/// changed.
[[nodiscard]] Result<std::string> load_ptx(const KernelFile& file, store::Store* store = nullptr);

[[nodiscard]] Result<ptx::Module> parse_module(const KernelFile& file, std::string ptx);
[[nodiscard]] Result<ptx::Module> load_module(const KernelFile& file);

}  // namespace warpledger::profile
