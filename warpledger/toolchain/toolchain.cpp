#include "warpledger/toolchain/toolchain.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace warpledger::toolchain {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<fs::path> search_path() {
  std::vector<fs::path> folders;
  const std::string path = environment("PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) folders.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

/// Subfolders of `folder`, sorted, so that the answer does not depend on the file system's order.
std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (it->is_directory(ignored)) found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// <prefix>/lib/python3.*/site-packages
void add_packages(const fs::path& prefix, std::vector<fs::path>& packages) {
  for (const fs::path& python : children(prefix / "lib")) {
    if (!python.filename().string().starts_with("python")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) packages.push_back(python / name);
  }
}

/// Where Python environments keep their wheels.
std::vector<fs::path> find_package_folders(const std::vector<fs::path>& path) {
  std::vector<fs::path> packages;
  if (const std::string venv = environment("VIRTUAL_ENV"); !venv.empty())
    add_packages(venv, packages);
  // The wheel's command runs in its environment, activated or not.
  if (const std::string python = environment("WARPLEDGER_PYTHON"); !python.empty())
    add_packages(fs::path(python).parent_path().parent_path(), packages);
  for (const fs::path& folder : path) {
    add_packages(folder.parent_path(), packages);
    // pyenv's shims stand beside the interpreters they choose between.
    for (const fs::path& version : children(folder.parent_path() / "versions")) {
      add_packages(version, packages);
    }
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    add_packages(fs::path(home) / ".local", packages);
  }
  return packages;
}

/// The same, looked for once a second at most: that is a hundred folders, for each of many
/// requests.
std::vector<fs::path> package_folders(const std::vector<fs::path>& path) {
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static std::vector<fs::path> folders;
  static std::string asked;
  static Clock::time_point until;
  const std::string question =
      fmt::format("{}\n{}\n{}\n{}", environment("VIRTUAL_ENV"), environment("WARPLEDGER_PYTHON"),
                  environment("HOME"), environment("PATH"));
  const std::lock_guard lock(mutex);
  if (asked != question || Clock::now() >= until) {
    folders = find_package_folders(path);
    asked = question;
    until = Clock::now() + std::chrono::seconds(1);
  }
  return folders;
}

std::vector<fs::path> tool_folders() {
  std::vector<fs::path> folders;
  if (const std::string home = environment("CUDA_HOME"); !home.empty()) {
    folders.emplace_back(fs::path(home) / "bin");
  }
  const std::vector<fs::path> path = search_path();
  folders.insert(folders.end(), path.begin(), path.end());
  for (const fs::path& packages : package_folders(path)) {
    for (const fs::path& package : children(packages / "nvidia"))
      folders.push_back(package / "bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string wheel_of(std::string_view tool) {
  return tool == "nvdisasm" || tool == "cuobjdump" ? fmt::format("nvidia-cuda-{}", tool)
                                                   : "nvidia-cuda-nvcc";
}

}  // namespace

Result<std::string> find_tool(std::string_view name) {
  for (const fs::path& folder : tool_folders()) {
    if (is_program(folder / name)) return (folder / name).string();
  }
  return Diagnostic{
      .message = fmt::format("'{}' is not installed", name),
      .hint = fmt::format("install the CUDA toolkit or `pip install {}`, or set CUDA_HOME",
                          wheel_of(name)),
      .code = "no-toolkit"};
}

std::vector<std::string> find_tools(std::string_view name) {
  std::vector<fs::path> places;
  for (const fs::path& folder : tool_folders()) places.push_back(folder / name);
  for (const fs::path& packages : package_folders(search_path())) {
    const fs::path triton = packages / "triton" / "backends" / "nvidia" / "bin";
    places.push_back(triton / name);
    places.push_back(triton / fmt::format("{}-blackwell", name));
  }
  std::vector<std::string> found;
  for (const fs::path& place : places) {
    const bool is_new = std::find(found.begin(), found.end(), place.string()) == found.end();
    if (is_new && is_program(place)) found.push_back(place.string());
  }
  return found;
}

}  // namespace warpledger::toolchain
