// Machine code in memory from an object file, without LLVM: code kept on disk runs in a process
// that never loads it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "warpledger/exec/jit/runtime/compiler.h"

namespace warpledger::exec::jit {

/// Executable memory, given back with its owner.
class LoadedObject {
 public:
  /// The object, its calls bound to `functions` or to what the process has by that name. Nothing
  /// where the file is not of this machine, or needs more than the few relocations that position-
  /// independent code without variables has: LLVM's own linker takes those.
  [[nodiscard]] static std::optional<LoadedObject> load(std::span<const std::byte> file,
                                                        std::span<const RuntimeFunction> functions);
  ~LoadedObject();
  LoadedObject(LoadedObject&& other) noexcept;
  LoadedObject& operator=(LoadedObject&&) = delete;

  /// Null when the object does not define it.
  [[nodiscard]] void* find(const std::string& name) const;

 private:
  LoadedObject() = default;
  friend class ObjectLoader;
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;
  std::vector<std::pair<std::string, void*>> symbols_;
};

}  // namespace warpledger::exec::jit
