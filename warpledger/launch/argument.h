// launch/: what a person types of a launch, or wants to read of it: arguments and tensors as text
// (this file, tensor_argument.h), what a buffer should hold afterwards (expression.h), what the
// launch did as tables (report.h). The room makes values of exec/decode/ out of text and runs
// nothing.
//
// This file: kernel arguments as people write them on a command line:
//
//   i32:4096            a scalar
//   f32[1048576]:random a buffer of so many elements (64x64 is a product) and what fills it:
//                       zero (the default), one, index, random, a number, or @file (raw or .npy)
//   x=f32[64]:index     the same with a name; without one the argument's name is arg1, arg2, ...
//   k=tensormap(box=64x64,swizzle=128B):f16[4096x64]:random
//                       a buffer of that shape, outermost dimension first, and as the argument its
//                       tensor map; swizzle: none (the default), 32B, 64B, 128B; fill=nan
//
// random is a fixed sequence per argument: floats in [0, 1), integers in [0, 100).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/decode/tensor_map.h"
#include "warpledger/ptx/type.h"

namespace warpledger::exec {

class DeviceMemory;

struct ElementType {
  std::string name;  // f32, i32, ...
  int bytes = 4;
  bool is_float = false;
  bool is_signed = false;
  ptx::Type type = ptx::Type::kF32;
};

struct Argument {
  std::string name;
  ElementType type;
  std::optional<uint64_t> count;  // of a buffer
  std::vector<std::byte> bytes;   // what it holds before the launch
  uint64_t address = 0;           // of a buffer, once it is in device memory
  std::optional<TensorMap> map;   // passed instead of the address

  [[nodiscard]] uint64_t elements() const { return count.value_or(1); }
};

/// Pre: number >= 1, its position.
[[nodiscard]] Result<Argument> parse_argument(const std::string& text, int number);

/// Puts the buffers into device memory and packs the parameters by the kernel's signature.
[[nodiscard]] Result<std::vector<std::byte>> pass_arguments(const ptx::Module& module,
                                                            const ptx::Function& kernel,
                                                            std::vector<Argument>& arguments,
                                                            DeviceMemory& memory);
/// The same of arguments that stay as they are; `passed` is a copy of them without their bytes.
[[nodiscard]] Result<std::vector<std::byte>> pass_arguments(const ptx::Module& module,
                                                            const ptx::Function& kernel,
                                                            const std::vector<Argument>& arguments,
                                                            DeviceMemory& memory,
                                                            std::vector<Argument>& passed);

/// The value of an element, as a double.
[[nodiscard]] double element_value(const ElementType& type, const std::byte* bytes, uint64_t index);

/// The buffer as NumPy's .npy; bf16 is written as u16.
[[nodiscard]] std::string to_npy(const Argument& argument, const std::byte* bytes);
/// The data of a .npy file, or the bytes as they are.
[[nodiscard]] std::string without_npy_header(std::string bytes);

}  // namespace warpledger::exec
