// fp32 matmul three ways (kernels/matmul.cu), set up to be launched: what speeds are measured on.
#pragma once

#include "bench/setup.h"
#include "warpledger/launch/argument.h"

namespace warpledger::bench {

struct Matmul {
  const char* name;
  uint32_t tile;  // of C, a block
};
inline constexpr Matmul kMatmuls[] = {
    {"matmul_naive", 16}, {"matmul_tiled", 16}, {"matmul_register_tiled", 64}};

struct Extents {
  uint32_t m = 0, n = 0, k = 0;
  /// One warp, one step of k: 32 multiply-adds.
  [[nodiscard]] double warp_steps() const { return double(m) * n * k / 32; }
};

inline Result<uint64_t> filled(exec::DeviceMemory& memory, uint64_t elements, const char* name) {
  WL_TRY(const uint64_t address, memory.allocate(elements * 4, name));
  auto* values = reinterpret_cast<float*>(memory.find(address, elements * 4));
  for (uint64_t i = 0; i < elements; ++i) values[i] = any_value(i);
  return address;
}

/// C[m][n] = A[m][k] B[k][n].
inline Result<std::unique_ptr<Setup>> prepare(const Matmul& kernel, const Extents& extents) {
  WL_TRY(std::unique_ptr<Setup> setup, load("tests/inputs/ptx/matmul.ptx"));
  const auto [m, n, k] = extents;
  setup->launch = {
      .kernel = kernel.name,
      .grid = {(n + kernel.tile - 1) / kernel.tile, (m + kernel.tile - 1) / kernel.tile, 1},
      .block = {16, 16, 1}};
  exec::Arguments arguments(*setup->module, *setup->module->find(kernel.name));
  const std::pair<const char*, uint64_t> matrices[] = {
      {"a", uint64_t{m} * k}, {"b", uint64_t{k} * n}, {"c", uint64_t{m} * n}};
  for (const auto& [name, elements] : matrices) {
    WL_TRY(const uint64_t address, filled(setup->memory, elements, name));
    WL_TRY_STATUS(arguments.add(&address, sizeof address));
  }
  for (const uint32_t extent : {m, n, k}) WL_TRY_STATUS(arguments.add(&extent, sizeof extent));
  WL_TRY(setup->launch.params, arguments.finish());
  return setup;
}

}  // namespace warpledger::bench
