// A module's variables placed in memory; a kernel's shared memory, parameters and stack frames laid
// out.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "warpledger/exec/memory/device_memory.h"
#include "warpledger/ptx/forward.h"

namespace warpledger::exec {

/// A function's address is kCodeBase + kCodeStep * its index in the module.
inline constexpr uint64_t kCodeBase = 0x6'0000'0000;
inline constexpr uint64_t kCodeStep = 16;

/// A module in device memory: its global variables allocated and initialized, its constants in one
/// bank. Kernels of the module share it from launch to launch.
class Image {
 public:
  /// The module must outlive the image. Fails on what has no definition, e.g. an extern variable.
  [[nodiscard]] static Result<Image> load(const ptx::Module& module, DeviceMemory& memory);

  [[nodiscard]] const ptx::Module& module() const { return *module_; }
  [[nodiscard]] DeviceMemory& memory() const { return *memory_; }
  /// The address of a .global variable, the bank offset of a .const one. Pre: it is one of these.
  [[nodiscard]] uint64_t address_of(uint32_t variable) const { return addresses_[variable]; }
  [[nodiscard]] std::vector<std::byte>& constants() { return constants_; }
  [[nodiscard]] const std::vector<std::byte>& constants() const { return constants_; }
  /// The function whose address this is, by index; nothing for other numbers.
  [[nodiscard]] std::optional<uint32_t> function_at(uint64_t address) const;

 private:
  [[nodiscard]] Status place(uint32_t variable);
  [[nodiscard]] Status initialize(uint32_t variable);
  [[nodiscard]] std::byte* bytes_of(uint32_t variable, uint64_t bytes);

  const ptx::Module* module_ = nullptr;
  DeviceMemory* memory_ = nullptr;
  std::vector<uint64_t> addresses_;
  std::vector<std::byte> constants_;
};

/// Where the variables that are not in the image lie, for one kernel.
struct KernelLayout {
  /// A variable's place: offset in shared memory, in the kernel's parameters, or in the frame of
  /// the function that declares it (locals and parameters of device functions).
  enum class Where : uint8_t { kNowhere, kShared, kKernelParam, kFrame };
  struct Place {
    Where where = Where::kNowhere;
    uint64_t offset = 0;
  };
  std::map<uint32_t, Place> places;          // by variable of the module
  std::vector<uint32_t> functions;           // the kernel, then what it may call, by module index
  std::map<uint32_t, uint64_t> frame_bytes;  // by function, a multiple of 16
  uint64_t static_shared_bytes = 0;          // dynamic shared memory starts here
  uint64_t param_bytes = 0;
};

/// Pre: `kernel` is an entry of the module with a body.
[[nodiscard]] Result<KernelLayout> lay_out(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace warpledger::exec
