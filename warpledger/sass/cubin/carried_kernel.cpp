#include "warpledger/sass/cubin/carried_kernel.h"

#include <mutex>

#include "warpledger/sass/cubin/carrier.h"
#include "warpledger/sass/cubin/cut_kernel.h"

namespace warpledger::sass {
namespace {

using Bytes = std::shared_ptr<const std::string>;

/// A cubin, read; `cubin` points into `bytes`.
struct Carried {
  std::weak_ptr<const Source> text;
  Bytes bytes;
  Cubin cubin;
  std::map<std::string, Bytes, std::less<>> kernels = {};  // cut out so far
};

/// By the text that carries them: a module that is copied has the same.
class CarriedCubins {
 public:
  Result<Bytes> find(const ptx::Module& module, std::string_view kernel) {
    const std::lock_guard lock(mutex_);
    auto found = all_.find(module.source.get());
    if (found == all_.end() || found->second.text.lock() != module.source) {
      WL_TRY(Carried read, read_out(module));
      if (read.bytes == nullptr) return Bytes();
      forget_old();
      found = all_.insert_or_assign(module.source.get(), std::move(read)).first;
    }
    return cut(found->second, kernel);
  }

 private:
  static Result<Carried> read_out(const ptx::Module& module) {
    Carried read{.text = module.source};
    std::optional<std::string> bytes = carried_cubin(module);
    if (!bytes) return read;
    read.bytes = std::make_shared<const std::string>(*std::move(bytes));
    WL_TRY(read.cubin, read_cubin(*read.bytes));
    return read;
  }

  static Bytes cut(Carried& carried, std::string_view kernel) {
    const auto known = carried.kernels.find(kernel);
    if (known != carried.kernels.end()) return known->second;
    auto made =
        std::make_shared<const std::string>(cut_kernel(*carried.bytes, carried.cubin, kernel));
    return carried.kernels.emplace(kernel, std::move(made)).first->second;
  }

  void forget_old() {
    std::erase_if(all_, [](const auto& one) { return one.second.text.expired(); });
  }

  std::mutex mutex_;
  std::map<const Source*, Carried> all_;
};

}  // namespace

Result<Bytes> carried_kernel(const ptx::Module& module, std::string_view kernel) {
  static CarriedCubins cubins;
  return cubins.find(module, kernel);
}

}  // namespace warpledger::sass
