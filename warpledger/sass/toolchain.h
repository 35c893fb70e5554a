// sass/: NVIDIA's own tools and what they make. This room finds ptxas, nvdisasm and nvcc in a
// toolkit or in NVIDIA's Python wheels, runs them without a shell, and reads the machine code they
// print. It must not know what the code is for: layouts, counters and kernels live elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger {

/// Looks for `name` (ptxas, nvdisasm, nvcc, cuobjdump) in $CUDA_HOME/bin, then along $PATH, then in
/// the wheels nvidia-cuda-nvcc and nvidia-cuda-nvdisasm of the Python environments that $PATH,
/// $VIRTUAL_ENV and $HOME/.local lead to, then in /usr/local/cuda/bin.
[[nodiscard]] Result<std::string> find_tool(std::string_view name);

/// Every place where `name` stands, in the order of find_tool; after them those that Triton's wheel
/// brings along, which read newer PTX.
[[nodiscard]] std::vector<std::string> find_tools(std::string_view name);

struct ProcessOutput {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// Runs a program with exactly these arguments, no shell, standard input closed. Fails when it
/// cannot be started or was killed by a signal; a non-zero exit is the caller's to judge.
[[nodiscard]] Result<ProcessOutput> run_process(const std::vector<std::string>& arguments);

/// The same, but a non-zero exit is a failure that quotes what the program said.
[[nodiscard]] Result<ProcessOutput> run_tool(const std::vector<std::string>& arguments);

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

}  // namespace warpledger
