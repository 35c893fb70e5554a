#include "cli/options/kernel_options.h"

#include <fmt/core.h>

namespace warpledger::cli {

void add_kernel_options(Command& command, KernelOptions& options, bool required) {
  command.add_option("file", options.file.path, "a .ptx, .cu or .cubin file")->required(required);
  command.add_option("--kernel,-k,--kernel-name", options.kernel,
                     std::string("kernel name, or a part of it that is unique") +
                         (required ? "" : ", or regex:EXPRESSION") +
                         "; optional if the file has one kernel");
  command.add_option("--grid", options.grid, "blocks: x[,y[,z]]")
      ->delimiter(',')
      ->required(required);
  command.add_option("--block", options.block, "threads per block: x[,y[,z]]")
      ->delimiter(',')
      ->required(required);
  command
      .add_option("--cluster", options.cluster,
                  "blocks per cluster: x[,y[,z]] (default: what the kernel requires)")
      ->delimiter(',');
  command.add_option("--smem", options.shared, "bytes of dynamic shared memory");
  command.add_option("--arg", options.arguments,
                     "the next argument: i32:4096, f32[1024]:random, x=f32[64]:index, "
                     "tensormap(box=64x64,swizzle=128B):f16[4096x64]");
  command.add_option("--arch", options.file.arch, "architecture that nvcc compiles a .cu file for");
  command.add_option("--nvcc", options.file.flags, "an extra option for nvcc");
  command.add_option("--limit", options.limit,
                     "stop a kernel after this many warp instructions; 0: 200,000,000 interpreted, "
                     "1,000 times as many compiled");
  command
      .add_choice(
          "--engine",
          {{"auto", int(exec::EngineChoice::kAuto)},
           {"jit", int(exec::EngineChoice::kJit)},
           {"reference", int(exec::EngineChoice::kReference)},
           {"machine", int(exec::EngineChoice::kMachine)}},
          [&options](int choice) { options.engine = exec::EngineChoice(choice); },
          "auto: compile if possible, otherwise interpret; jit: compile or fail; reference: "
          "interpret; machine: interpret ptxas's machine code instead of the PTX (sm_75 to "
          "sm_120)")
      ->option_text("auto|jit|reference|machine");
}

void add_on_error_option(Command& command, bool& continues) {
  command
      .add_option(
          "--on-error", [&continues](const std::string& word) { continues = word == "continue"; },
          "on an out-of-bounds access: stop (default) ends the launch; continue reports it, reads "
          "0, writes nothing and goes on")
      ->one_of({"stop", "continue"});
}

void add_values_option(Command& command, KernelOptions& options, const std::string& meaning) {
  command
      .add_choice(
          "--values",
          {{"auto", int(exec::Values::kAuto)},
           {"on", int(exec::Values::kOn)},
           {"off", int(exec::Values::kOff)}},
          [&options](int choice) { options.values = exec::Values(choice); }, meaning)
      ->option_text("auto|on|off");
}

exec::Extent extent_of(const std::vector<uint32_t>& values) {
  exec::Extent result = {1, 1, 1};
  for (size_t i = 0; i < values.size() && i < 3; ++i) result[i] = values[i];
  return result;
}

exec::Extent cluster_of(const KernelOptions& options) {
  return options.cluster.empty() ? exec::Extent{0, 0, 0} : extent_of(options.cluster);
}

Status require_launch(const KernelOptions& options) {
  const auto missing = [](const char* name) {
    return Diagnostic{.message = fmt::format("{} is required", name),
                      .hint = "'warpledger profile --help' shows examples",
                      .code = "usage"};
  };
  if (options.file.path.empty()) return missing("file");
  if (options.grid.empty()) return missing("--grid");
  if (options.block.empty()) return missing("--block");
  return {};
}

Result<std::vector<exec::Argument>> parse_arguments(const KernelOptions& options) {
  std::vector<exec::Argument> arguments;
  for (const std::string& argument : options.arguments) {
    WL_TRY(exec::Argument parsed,
           exec::parse_argument(argument, static_cast<int>(arguments.size()) + 1));
    arguments.push_back(std::move(parsed));
  }
  return arguments;
}

profile::KernelQuery query_of(const KernelOptions& options) {
  return {.file = options.file,
          .kernel = options.kernel,
          .grid = extent_of(options.grid),
          .block = extent_of(options.block),
          .cluster = cluster_of(options),
          .dynamic_shared_bytes = options.shared,
          .arguments = options.arguments};
}

}  // namespace warpledger::cli
