#include "interpose/math/openblas.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

#include "warpledger/base/check.h"

namespace warpledger::math {
namespace {

void* library() {
  static void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

}  // namespace

bool has_openblas() { return library() != nullptr; }

void* openblas_function(char letter, const char* name) {
  static std::mutex mutex;
  static std::map<std::string, void*> known;
  const std::lock_guard lock(mutex);
  void*& function = known[letter + std::string(name) + "_"];
  if (function == nullptr) function = dlsym(library(), (letter + std::string(name) + "_").c_str());
  WL_CHECK(function != nullptr);
  return function;
}

}  // namespace warpledger::math
