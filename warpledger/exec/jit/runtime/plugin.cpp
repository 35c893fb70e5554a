// Finds and loads the compiler's library.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/exec/jit/runtime/runtime.h"

namespace warpledger::exec::jit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libwarpledger_jit.so";

Diagnostic absent(std::string message, std::string hint) {
  return {.message = std::move(message),
          .hint = std::move(hint),
          .code = "no-jit",
          .fallback = Fallback::kInterpreter};
}

// The file that this code was loaded from: a program or, preloaded or imported, a library.
fs::path own_file() {
  Dl_info info = {};
  link_map* map = nullptr;
  void* extra = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&plugin_folders), &info, &extra, RTLD_DL_LINKMAP) == 0)
    return {};
  map = static_cast<link_map*>(extra);
  std::error_code failed;
  // The program itself has no name there, and argv[0] need not be a path.
  if (map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0')
    return fs::read_symlink("/proc/self/exe", failed);
  return fs::canonical(map->l_name, failed);
}

Result<Compiler*> open_library(const std::string& path) {
  // Never closed: code that it compiled may outlive everything.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absent(fmt::format("cannot load the compiler: {}", dlerror()), "");
  auto* version = reinterpret_cast<VersionFunction>(dlsym(library, kVersionSymbol));
  auto* open = reinterpret_cast<OpenFunction>(dlsym(library, kOpenSymbol));
  if (version == nullptr || open == nullptr || version() != library_version()) {
    return absent(fmt::format("'{}' belongs to another version of warpledger", path),
                  "build or install both from one version");
  }
  Diagnostic why;
  Compiler* compiler = open(runtime_functions(), why);
  if (compiler == nullptr) return why;
  return compiler;
}

Result<Compiler*> find_library() {
  if (const std::string path = find_plugin(); !path.empty()) return open_library(path);
  return absent(fmt::format("cannot find the compiler plugin {}", kLibrary),
                fmt::format("looked in {}; it is built where LLVM 19 is installed",
                            fmt::join(plugin_folders(), ", ")));
}

}  // namespace

std::string library_version() { return fmt::format("{} {}", code_version(), __VERSION__); }

std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  if (const char* said = std::getenv("WARPLEDGER_PLUGINS"); said != nullptr && *said != '\0')
    folders.emplace_back(said);
  const fs::path file = own_file();
  if (file.empty()) return folders;
  const fs::path here = file.parent_path();
  for (const fs::path& folder :
       {here, here / "warpledger", here.parent_path() / "lib" / "warpledger"})
    folders.push_back(folder.string());
  return folders;
}

std::string find_plugin() {
  for (const std::string& folder : plugin_folders()) {
    std::string path = folder + "/" + kLibrary;
    std::error_code failed;
    if (fs::exists(path, failed)) return path;
  }
  return {};
}

Result<Compiler*> load_compiler() {
  static const Result<Compiler*> compiler = find_library();
  return compiler;
}

}  // namespace warpledger::exec::jit
