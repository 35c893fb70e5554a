// A kernel of a PTX file with its memory, ready to be launched, and the clocks of this machine.
// Benchmarks run from the project's folder.
#pragma once

#include <ctime>
#include <memory>

#include "warpledger/base/file.h"
#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::bench {

struct Setup {
  std::unique_ptr<ptx::Module> module;
  exec::DeviceMemory memory;
  std::unique_ptr<exec::Image> image;
  exec::Launch launch;
};

/// The module in device memory; the launch is the caller's.
inline Result<std::unique_ptr<Setup>> load(const std::string& path) {
  auto setup = std::make_unique<Setup>();
  WL_TRY(std::string text, read_file(path));
  WL_TRY(ptx::Module module, ptx::parse(path, std::move(text)));
  setup->module = std::make_unique<ptx::Module>(std::move(module));
  WL_TRY(exec::Image image, exec::Image::load(*setup->module, setup->memory));
  setup->image = std::make_unique<exec::Image>(std::move(image));
  return setup;
}

/// Element i of every input: in [0, 1), no two neighbors alike.
inline float any_value(uint64_t i) { return static_cast<float>(i * 2654435761u % 1000) / 1000; }

inline double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace warpledger::bench
