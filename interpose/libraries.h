// Code that a program loads for all devices at once (cudaLibrary_t, CUlibrary). A handle is the
// Module itself; what is unloaded is not known any more, but its code stays: launches of it may be
// reported.
#pragma once

#include <map>
#include <memory>

#include "interpose/error.h"
#include "interpose/module.h"

namespace warpledger::cuda {

class Core;

class Libraries {
 public:
  [[nodiscard]] Module* keep(std::unique_ptr<Module> module);
  /// False if it is not a library.
  [[nodiscard]] bool unload(const void* handle) { return known_.erase(handle) != 0; }
  /// Null if it is not a library.
  [[nodiscard]] Module* find(const void* handle) const;

 private:
  std::vector<std::unique_ptr<Module>> all_;
  std::map<const void*, Module*> known_;
};

/// An image as cuModuleLoadData() takes it, or a file of one.
[[nodiscard]] Error load_library(Core& core, const void* image, Module** made);
[[nodiscard]] Error load_library_file(Core& core, const char* path, Module** made);
[[nodiscard]] Error library_kernel(Core& core, const void* handle, const char* name,
                                   Kernel** kernel);
/// As the current device has it; only managed ones where `is_managed`.
[[nodiscard]] Error library_variable(Core& core, const void* handle, const char* name,
                                     bool is_managed, Symbol* symbol);

}  // namespace warpledger::cuda
