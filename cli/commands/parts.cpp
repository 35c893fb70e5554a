#include "cli/commands/parts.h"

#include <cstdlib>
#include <map>

#include "cli/commands/program.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::cli {
namespace {

using toolchain::find_tool;
using toolchain::run_tool;

enum class Kind { kJit, kLibraries, kTool, kPackage };

struct Known {
  const char* name;
  Kind kind;
  const char* adds;
  const char* get;
  const char* ask = "--version";  // of a tool
  const char* word = "release ";  // the version follows it
};

constexpr const char* kWheel = "pip install warpledger";
constexpr const char* kCuda = "pip install 'warpledger[cuda]'";

constexpr Known kKnown[] = {
    {"jit", Kind::kJit, "compiled kernels; without it the interpreter runs them, slower", kWheel},
    {"libraries", Kind::kLibraries,
     "whole programs and scripts under `profile` (drop-in CUDA libraries)", kWheel},
    {"nvcc", Kind::kTool, "CUDA source (.cu); without it PTX and cubins", kCuda},
    {"g++", Kind::kTool, "what nvcc compiles with", "apt-get install g++", "-dumpfullversion", ""},
    {"ptxas", Kind::kTool, "SASS: registers, instruction counts, warp states", kCuda},
    {"nvdisasm", Kind::kTool, "SASS: reads what ptxas made; machine code without PTX", kCuda},
    {"python3", Kind::kTool, "Python scripts, the package, the MCP server",
     "apt-get install python3-venv", "--version", "Python "},
    {"triton", Kind::kPackage, "Triton kernels", "pip install triton"},
    {"torch", Kind::kPackage, "scripts with PyTorch tensors, and PyTorch's own kernels",
     "pip install torch"},
    {"ncu", Kind::kTool, "measured reports for `warpledger compare`, on a machine with a GPU",
     "apt-get install nsight-compute", "--version", "Version "},
};

Part broken(const std::string& where, const Diagnostic& why) {
  return {.name = {}, .state = PartState::kBroken, .where = where, .fault = why.message};
}

Part found(const std::string& where, const std::string& version) {
  return {.name = {}, .state = PartState::kFound, .version = version, .where = where};
}

Part find_jit() {
  const auto compiler = exec::jit::load_compiler();
  if (compiler) return found(exec::jit::find_plugin(), "");
  const std::string there = exec::jit::find_plugin();
  return there.empty() ? Part{} : broken(there, compiler.error());
}

Part find_libraries() {
  const auto folder = library_folder();
  return folder ? found(folder->string(), "") : Part{};
}

Part find_program(const Known& known) {
  const auto path = std::string_view(known.name) == "python3" ? find_tool(python_command())
                                                              : find_tool(known.name);
  if (!path) return {};
  const auto said = run_tool({*path, known.ask});
  if (!said) return broken(*path, said.error());
  return found(*path, version_after(said->out, known.word));
}

/// "triton 3.9.0" a line; what is not installed is left out.
constexpr const char* kPackages =
    "import importlib.metadata as m\n"
    "for name in ('triton', 'torch'):\n"
    "    try: print(name, m.version(name))\n"
    "    except m.PackageNotFoundError: pass\n";

/// Versions of the packages that Python has, by name.
std::map<std::string, std::string> packages_of(const std::string& python) {
  std::map<std::string, std::string> versions;
  const auto said = run_tool({python, "-c", kPackages});
  if (!said) return versions;
  for (const char* name : {"triton", "torch"}) {
    const std::string version = version_after(said->out, std::string(name) + " ");
    if (!version.empty()) versions[name] = version;
  }
  return versions;
}

class Search {
 public:
  Part find(const Known& known) {
    switch (known.kind) {
      case Kind::kJit:
        return find_jit();
      case Kind::kLibraries:
        return find_libraries();
      case Kind::kTool:
        return find_program(known);
      case Kind::kPackage:
        return find_package(known);
    }
    return {};
  }

 private:
  Part find_package(const Known& known) {
    const auto python = find_tool(python_command());
    if (!python) return {};
    if (!asked_) packages_ = packages_of(*python);
    asked_ = true;
    const auto version = packages_.find(known.name);
    return version == packages_.end() ? Part{} : found(*python, version->second);
  }

  bool asked_ = false;
  std::map<std::string, std::string> packages_;
};

bool is_part_of_version(char c) {
  return c == '.' || c == '+' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string python_command() {
  const char* own = std::getenv("WARPLEDGER_PYTHON");
  return own != nullptr && *own != '\0' ? own : "python3";
}

std::string version_after(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + word.size());
  size_t length = 0;
  while (length < text.size() && is_part_of_version(text[length])) ++length;
  return std::string(text.substr(0, length));
}

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  return names;
}

std::vector<Part> find_parts() {
  std::vector<Part> parts;
  Search search;
  for (const Known& known : kKnown) {
    Part part = search.find(known);
    part.name = known.name;
    part.adds = known.adds;
    part.get = known.get;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace warpledger::cli
