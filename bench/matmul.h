// fp32 matmul three ways (kernels/matmul.cu), set up to be launched: what speeds are measured on.
#pragma once

#include <ctime>
#include <memory>

#include "warpledger/base/file.h"
#include "warpledger/exec/argument.h"
#include "warpledger/exec/image.h"
#include "warpledger/ptx/parser.h"

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

struct Setup {
  std::unique_ptr<ptx::Module> module;
  exec::DeviceMemory memory;
  std::unique_ptr<exec::Image> image;
  exec::Launch launch;
};

inline Result<uint64_t> filled(exec::DeviceMemory& memory, uint64_t elements, const char* name) {
  WL_TRY(const uint64_t address, memory.allocate(elements * 4, name));
  auto* values = reinterpret_cast<float*>(memory.find(address, elements * 4));
  for (uint64_t i = 0; i < elements; ++i)
    values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  return address;
}

/// C[m][n] = A[m][k] B[k][n]. Run from the project's folder.
inline Result<std::unique_ptr<Setup>> prepare(const Matmul& kernel, const Extents& extents) {
  auto setup = std::make_unique<Setup>();
  WL_TRY(std::string text, read_file("tests/data/ptx/matmul.ptx"));
  WL_TRY(ptx::Module module, ptx::parse("matmul.ptx", std::move(text)));
  setup->module = std::make_unique<ptx::Module>(std::move(module));
  WL_TRY(exec::Image image, exec::Image::load(*setup->module, setup->memory));
  setup->image = std::make_unique<exec::Image>(std::move(image));
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

inline double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace warpledger::bench
