// What an object file asks to be written into its code once addresses are known, by the System V
// ABI: AMD64 supplement 4.4, and "ELF for the Arm 64-bit Architecture" 5.7. Only what LLVM writes
// for position-independent code without variables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpledger::exec::jit {

/// A symbol of others is reached through a stub of the loader: a jump, and at kAddressInStub the
/// address.
inline constexpr size_t kStubBytes = 16, kAddressInStub = 8;

struct Relocation {
  uint32_t type = 0;
  std::byte* place = nullptr;
  size_t room = 0;  // bytes from `place` to the end of its section
  const std::byte* target = nullptr;
  bool is_outside = false;  // `target` is a stub
  int64_t addend = 0;
};

/// False, and nothing or a wrong value written, where the type is not known, the value does not fit
/// or there is no room for it.
[[nodiscard]] bool relocate_x86_64(const Relocation& relocation);
[[nodiscard]] bool relocate_arm64(const Relocation& relocation);

}  // namespace warpledger::exec::jit
