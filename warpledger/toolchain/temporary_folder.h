#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "warpledger/base/result.h"

namespace warpledger::toolchain {

/// A folder under the system's temporary folder, removed with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] static Result<TemporaryFolder> create();
  /// The path of a file of that name inside.
  [[nodiscard]] std::string file(std::string_view name) const;

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace warpledger::toolchain
