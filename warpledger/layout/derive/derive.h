// Re-deriving register maps: from the installed compiler (ptxas lowers wmma.load to plain loads,
// whose addresses spell the map out), or from a dump made on real hardware with kernels/tracer.cu.
// This is the only part of the room that needs a toolkit.
#pragma once

#include <string>
#include <vector>

#include "warpledger/layout/catalog/fragment.h"

namespace warpledger::derive {

/// The tools; empty paths are looked for. sm_70 needs a ptxas before CUDA 13.
struct Tools {
  std::string ptxas;
  std::string nvdisasm;
};

struct Derived {
  FragmentKey key;
  Fit fit;              // of (register, lane) -> (row, col)
  Layout observed;      // the same as a table
  bool agrees = false;  // with the catalog
};

/// Assembles the tracer for all keys of one architecture at once and follows each kernel.
/// Fails for anything but wmma: other maps are in the hardware, not in the compiler's output.
[[nodiscard]] Result<std::vector<Derived>> derive_from_compiler(
    const std::vector<FragmentKey>& keys, const Tools& tools);

/// All wmma loads of an architecture, rows and columns: what derive --all asks for.
[[nodiscard]] std::vector<FragmentKey> derivable_keys(int arch);

/// Lines "lane element row col", or "lane element value" with value = 100 * row + col as the tracer
/// kernel of kernels/tracer.cu writes; '#' starts a comment. Every lane and element must be given.
[[nodiscard]] Result<Layout> read_dump(const Source& source);

}  // namespace warpledger::derive
