// What an executable says of itself before it runs: whether a door can be opened for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::cuda {

struct ProgramFacts {
  bool is_elf = false;
  bool registers_kernels = false;  // nvcc's code is in it
  std::vector<std::string> needs;  // shared libraries
};

/// A script, or anything that is no ELF file, has no facts.
[[nodiscard]] ProgramFacts inspect_program(std::string_view bytes);

/// The CUDA runtime that it needs: "libcudart.so.13"; empty where it names none.
[[nodiscard]] std::string runtime_of(const ProgramFacts& facts);

/// Fails where no door helps, with how to build the program so that one does.
[[nodiscard]] Status check_program(const std::string& name, const ProgramFacts& facts);

}  // namespace warpledger::cuda
