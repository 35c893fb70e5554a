#include "cli/options/launch_options.h"

#include <fmt/core.h>

#include <optional>

#include "warpledger/base/scanner.h"

namespace warpledger::cli {

void add_launch_options(Command& command, LaunchOptions& options) {
  command
      .add_option("--gpu", options.gpu,
                  "a GPU listed by 'warpledger gpus', or your own ./file.toml")
      ->required()
      ->group("Launch");
  command.add_option("--grid", options.grid, "blocks: X[,Y[,Z]]")
      ->capture_default_str()
      ->group("Launch");
  command.add_option("--block", options.block, "threads per block: X[,Y[,Z]]")
      ->required()
      ->group("Launch");
  command
      .add_option("--regs", options.launch.registers_per_thread,
                  "registers per thread, as ptxas -v says")
      ->required()
      ->between(0, 256)
      ->group("Launch");
  command
      .add_option("--smem-static", options.launch.static_smem_bytes,
                  "bytes of __shared__ arrays per block")
      ->capture_default_str()
      ->not_negative()
      ->group("Launch");
  command
      .add_option("--smem-dynamic", options.launch.dynamic_smem_bytes,
                  "bytes of dynamic shared memory")
      ->capture_default_str()
      ->not_negative()
      ->group("Launch");
  command.add_option("--barriers", options.launch.barriers, "named barriers that the block uses")
      ->capture_default_str()
      ->between(1, 16)
      ->group("Launch");
  command
      .add_option("--prefer", options.prefer,
                  "cache preference of the program: none, or shared (cudaFuncCachePreferShared)")
      ->capture_default_str()
      ->one_of({"none", "shared"})
      ->group("Launch");
  command
      .add_option("--carveout", options.launch.carveout_kib,
                  "shared memory per SM requested by the program, in KiB")
      ->between(0, 1024)
      ->type_name("KIB")
      ->group("Launch");
}

Result<Extent> parse_extent(const std::string& option, const std::string& text) {
  Extent extent = {1, 1, 1};
  const Source source(option, text);
  Scanner scan(source, {.blanks = {}});
  for (int64_t& size : extent) {
    const std::optional<int64_t> number = scan.take_number<int64_t>();
    if (!number || *number < 1) break;
    size = *number;
    if (scan.at_end()) return extent;
    if (!scan.take(",") && !scan.take("x")) break;
  }
  return Diagnostic{.message = fmt::format("'{}' is not a valid value for {}", text, option),
                    .hint = fmt::format("one to three positive numbers: {} 16,16", option),
                    .code = "usage"};
}

Result<Launch> launch_of(const LaunchOptions& options) {
  Launch launch = options.launch;
  WL_TRY(launch.grid, parse_extent("--grid", options.grid));
  WL_TRY(launch.block, parse_extent("--block", options.block));
  if (options.prefer == "shared") launch.cache = CachePreference::kShared;
  return launch;
}

}  // namespace warpledger::cli
