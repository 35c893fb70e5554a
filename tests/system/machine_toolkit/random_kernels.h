// Random kernels for ptxas, and their launches.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/unit/exec/jit/random_launch.h"

namespace warpledger::exec {

inline constexpr uint64_t kMachineKernels = 12;  // of each architecture; WL_KERNELS asks for more

/// From `first` on, without `end`: WL_SEED alone, or WL_KERNELS from there on.
struct AskedSeeds {
  uint64_t first = 1, end = 1 + kMachineKernels;
};
inline AskedSeeds asked_seeds() {
  const char* many = std::getenv("WL_KERNELS");  // tools/nightly
  const char* only = std::getenv("WL_SEED");
  const uint64_t first = only != nullptr ? std::stoull(only) : 1;
  if (many != nullptr) return {first, first + std::stoull(many)};
  return {first, first + (only != nullptr ? 1 : kMachineKernels)};
}

/// The lines before the kernels, for the architecture: tensor cores differ.
inline std::string header_for(const std::string& arch) {
  const std::string version = ".version 8.4", target = "sm_80";
  std::string header = RandomKernel::header();
  header.replace(header.find(version), version.size(), ".version 8.7");
  header.replace(header.find(target), target.size(), arch);
  return header;
}

inline std::string entry_of(uint64_t seed, const std::string& name) {
  return RandomKernel(seed, static_cast<int>(4 + seed % 30), true).entry(name);
}

/// The seed's launch of the kernel of that name, which the machine holds.
inline Launch launch_of(TestMachine& machine, uint64_t seed, const std::string& name) {
  static const std::vector<Extent> kBlocks = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1},
                                              {33, 1, 1}, {5, 3, 3},  {128, 1, 1}};
  static const std::vector<Extent> kWholeWarps = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1}};
  testing::Rng rng(seed * 7919 + 1, 1);
  const Extent block = rng.pick(RandomKernel::needs_whole_warps(seed) ? kWholeWarps : kBlocks);
  const auto grid = static_cast<uint32_t>(rng.between(1, 3));
  return random_launch(machine, rng, name, grid, block);
}

}  // namespace warpledger::exec
