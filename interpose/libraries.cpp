#include "interpose/libraries.h"

#include "interpose/core.h"
#include "warpledger/base/file.h"

namespace warpledger::cuda {

Module* Libraries::keep(std::unique_ptr<Module> module) {
  Module* const made = module.get();
  all_.push_back(std::move(module));
  return known_[made] = made;
}

Module* Libraries::find(const void* handle) const {
  const auto found = known_.find(handle);
  return found == known_.end() ? nullptr : found->second;
}

Error load_library(Core& core, const void* image, Module** made) {
  if (image == nullptr || made == nullptr) return Error::kInvalidValue;
  auto module = std::make_unique<Module>("library");
  if (!module->add_image(image)) return Error::kInvalidImage;
  if (const Error error = core.load(*module); error != Error::kNone) return error;
  *made = core.libraries().keep(std::move(module));
  return Error::kNone;
}

Error load_library_file(Core& core, const char* path, Module** made) {
  if (path == nullptr) return Error::kInvalidValue;
  const auto bytes = read_file(path);
  return bytes ? load_library(core, bytes->c_str(), made) : Error::kFileNotFound;
}

Error library_kernel(Core& core, const void* handle, const char* name, Kernel** kernel) {
  Module* module = core.libraries().find(handle);
  if (module == nullptr) return Error::kInvalidHandle;
  if (name == nullptr || kernel == nullptr) return Error::kInvalidValue;
  const Result<Kernel*> found = module->kernel(name);
  return found ? (*kernel = *found, Error::kNone) : Error::kNotFound;
}

Error library_variable(Core& core, const void* handle, const char* name, bool is_managed,
                       Symbol* symbol) {
  Module* module = core.libraries().find(handle);
  if (module == nullptr) return Error::kInvalidHandle;
  if (name == nullptr) return Error::kInvalidValue;
  const auto found = [&]() -> Result<Symbol> {
    WL_TRY(Module * here, core.on_current(*module));
    return here->symbol(name);
  }();
  if (!found || (is_managed && !found->is_managed)) return Error::kNotFound;
  return *symbol = *found, Error::kNone;
}

}  // namespace warpledger::cuda
