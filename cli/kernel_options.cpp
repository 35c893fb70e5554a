#include "cli/kernel_options.h"

#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/sass/nvcc.h"

namespace warpledger::cli {
namespace {

Result<std::string> ptx_of(const KernelOptions& options) {
  if (!options.file.ends_with(".cu")) return read_file(options.file);
  return compile_cuda(options.file, options.arch, options.flags);
}

}  // namespace

void add_kernel_options(CLI::App& command, KernelOptions& options) {
  command.add_option("file", options.file, "a .ptx or .cu file")->required();
  command.add_option("--kernel,-k", options.kernel, "its name, or a part that only one has")
      ->required();
  command.add_option("--grid", options.grid, "blocks: x[,y[,z]]")->delimiter(',')->required();
  command.add_option("--block", options.block, "threads of a block: x[,y[,z]]")
      ->delimiter(',')
      ->required();
  command.add_option("--smem", options.shared, "bytes of dynamic shared memory");
  command.add_option("--arg", options.arguments,
                     "the next argument: i32:4096, f32[1024]:random, x=f32[64]:index");
  command.add_option("--arch", options.arch, "what nvcc compiles a .cu file for");
  command.add_option("--nvcc", options.flags, "a further option for nvcc");
  command.add_option("--limit", options.limit,
                     "warp instructions after which a kernel is stopped; 0: 200,000,000 when "
                     "interpreted, 1,000 times that when compiled");
  const std::map<std::string, exec::EngineChoice> engines = {
      {"auto", exec::EngineChoice::kAuto},
      {"jit", exec::EngineChoice::kJit},
      {"reference", exec::EngineChoice::kReference}};
  command
      .add_option("--engine", options.engine,
                  "auto: compiled where that works, else interpreted; jit: compiled or not at "
                  "all; reference: interpreted")
      ->transform(CLI::CheckedTransformer(engines, CLI::ignore_case))
      ->option_text("auto|jit|reference");
}

exec::Extent extent_of(const std::vector<uint32_t>& values) {
  exec::Extent result = {1, 1, 1};
  for (size_t i = 0; i < values.size() && i < 3; ++i) result[i] = values[i];
  return result;
}

Result<ptx::Module> load_module(const KernelOptions& options) {
  WL_TRY(std::string text, ptx_of(options));
  const std::string name = options.file + (options.file.ends_with(".cu") ? ".ptx" : "");
  return ptx::parse(name, std::move(text));
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

}  // namespace warpledger::cli
