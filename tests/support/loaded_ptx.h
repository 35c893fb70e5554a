// PTX in device memory, for a test. The module is only named here: a test that does not look inside
// does not compile it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warpledger/exec/decode/image.h"

namespace warpledger::test {

struct LoadedPtx {
  std::shared_ptr<const ptx::Module> module;
  std::unique_ptr<exec::Image> image;
  std::optional<Diagnostic> error;
};

/// Post: an image, or an error.
[[nodiscard]] LoadedPtx load_ptx(std::string name, std::string text, exec::DeviceMemory& memory);

}  // namespace warpledger::test
