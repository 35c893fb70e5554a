// The PTX inside machine code: what a fatbin without PTX can still run by.
#pragma once

#include "interpose/fatbin.h"

namespace warpledger::cuda {

/// The texts that were linked into one cubin, for one architecture.
struct EmbeddedPtx {
  int architecture = 0;  // of its .target
  char variant = 0;
  std::vector<std::string> texts = {};
};

/// The PTX that a cubin keeps; without texts when it keeps none or is damaged.
[[nodiscard]] EmbeddedPtx embedded_ptx(std::string_view cubin);

/// Of the machine codes in a fatbin that keep their PTX (made with -lineinfo), the one that the
/// target would take by the rules of choose_ptx(); without texts when there is none. A code that
/// cannot be unpacked or read is passed over: the driver does not look at it either.
[[nodiscard]] EmbeddedPtx choose_embedded_ptx(const std::vector<FatbinEntry>& entries, int target);

}  // namespace warpledger::cuda
