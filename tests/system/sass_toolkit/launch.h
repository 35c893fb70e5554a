// Runs a CUDA kernel of ours through the interpreter and counts its PTX blocks.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/launch/argument.h"
#include "warpledger/ptx/cfg.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/sass/witness/counts.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::sass {

inline bool has_toolkit() {
  return toolchain::find_tool("nvcc").ok() && toolchain::find_tool("ptxas").ok() &&
         toolchain::find_tool("nvdisasm").ok();
}

/// A file of the project, compiled by nvcc once; CUDA or PTX.
inline const ptx::Module& compiled(const std::string& file, const std::string& arch) {
  static std::map<std::string, ptx::Module> kept;
  const auto found = kept.find(file + arch);
  if (found != kept.end()) return found->second;
  std::string path = test::source_path(file);
  const auto folder = toolchain::TemporaryFolder::create();
  if (file.ends_with(".cu")) {
    const std::string out = folder->file("kernel.ptx");
    const auto done = toolchain::run_tool({*toolchain::find_tool("nvcc"), "-std=c++17", "-ptx",
                                           "-lineinfo", "-arch=" + arch, "-o", out, path});
    EXPECT_TRUE(done.ok()) << to_text(done.error());
    path = out;
  }
  auto module = ptx::parse(file, read_file(path).value());
  EXPECT_TRUE(module.ok()) << to_text(module.error());
  return kept.emplace(file + arch, *std::move(module)).first->second;
}

struct Case {
  std::string file, kernel, arch;
  exec::Extent grid, block;
  std::vector<std::string> arguments;  // as `warpledger run --arg` takes them
};

/// The counts of every block of the kernel, as the interpreter executes it.
inline BlockCounts count_blocks(const ptx::Module& module, const ptx::Function& kernel,
                                const Case& launch) {
  exec::DeviceMemory memory;
  auto image = exec::Image::load(module, memory);
  std::vector<exec::Argument> arguments;
  for (const std::string& text : launch.arguments)
    arguments.push_back(exec::parse_argument(text, static_cast<int>(arguments.size()) + 1).value());
  const exec::Launch request{
      .kernel = std::string(kernel.name),
      .grid = launch.grid,
      .block = launch.block,
      .params = exec::pass_arguments(module, kernel, arguments, memory).value()};
  auto engine = exec::reference::Engine::create(*image, request, {});
  EXPECT_TRUE(engine.ok()) << to_text(engine.error());
  trace::NoSink sink;
  const auto done = exec::reference::run_launch(**engine, sink, 8);
  EXPECT_TRUE(done.ok()) << to_text(done.error());
  const auto counted = (*engine)->instruction_counts();
  const auto index = static_cast<uint32_t>(&kernel - module.functions.data());
  BlockCounts counts;
  const ptx::Cfg cfg = ptx::build_cfg(module, kernel);
  for (const ptx::Block& block : cfg.blocks)
    counts.functions[index].blocks.push_back(counted[block.first].executions);
  counts.has_diverged = done->divergent_branches > 0;
  return counts;
}

/// The SASS counts of a launch.
inline SassCounts count_launch(const Case& launch) {
  const ptx::Module& module = compiled(launch.file, launch.arch);
  const ptx::Function* kernel = exec::find_kernel(module, launch.kernel).value();
  const auto told = witness(module, launch.arch);
  EXPECT_TRUE(told.ok()) << to_text(told.error());
  return count_sass(module, *told->find(kernel->name), count_blocks(module, *kernel, launch));
}

}  // namespace warpledger::sass
