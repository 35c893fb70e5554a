// The files of gpus/, compiled into the library by embed.cmake, so that an installed program needs
// no data folder.
#pragma once

#include <span>
#include <string_view>

namespace warpledger {

struct BuiltinFile {
  std::string_view path;  // below gpus/: "rtx3090.toml", "arch/sm_86.toml"
  std::string_view text;
};

/// Ordered by path.
[[nodiscard]] std::span<const BuiltinFile> builtin_gpu_files();

}  // namespace warpledger
