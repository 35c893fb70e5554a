// What warpledger works with on this machine: its own JIT and drop-in CUDA libraries, NVIDIA's
// programs, Python's packages. `warpledger doctor` lists them, `warpledger demo` asks which it has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpledger::cli {

enum class PartState { kFound, kMissing, kBroken };

struct Part {
  std::string name;
  PartState state = PartState::kMissing;
  std::string version = {};  // empty: it does not say
  std::string where = {};    // its file; of a Python package the interpreter that has it
  std::string fault = {};    // of a broken one: what happens when it is run
  std::string adds = {};     // what it makes possible
  std::string get = {};      // the one command that installs it
};

/// Every part, in the order of `part_names`. Programs are run once, to ask for their version.
[[nodiscard]] std::vector<Part> find_parts();

[[nodiscard]] std::vector<std::string> part_names();

/// The interpreter whose packages count: the wheel's own ($WARPLEDGER_PYTHON), else python3.
[[nodiscard]] std::string python_command();

/// The number behind `word` in what a program says about itself: "release 13.0, V13.0.88" with
/// "release " is 13.0; empty where it is not said.
[[nodiscard]] std::string version_after(std::string_view text, std::string_view word);

}  // namespace warpledger::cli
