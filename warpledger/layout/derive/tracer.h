// The tracer: a kernel per wmma fragment that loads it from a matrix of fixed stride and stores
// every register, so that the machine code between the two spells out the compiler's register map.
#pragma once

#include <string>
#include <vector>

#include "warpledger/layout/catalog/fragment.h"

namespace warpledger::derive {

/// Elements between rows (or columns) of the traced matrix: 64, and 128 for single bits.
[[nodiscard]] int tracer_stride(const FragmentKey& key);

/// The kernel's name for a key: "c_m16n16k16_row_f32".
[[nodiscard]] std::string kernel_name(const FragmentKey& key);
/// How many 32-bit (f64: 64-bit) registers wmma.load fills: PTX ISA 9.1, 9.7.14.4.1.
[[nodiscard]] int load_registers(const FragmentKey& key);
/// A module with one kernel per key, for the architecture of the first. Pre: all keys are wmma.
[[nodiscard]] std::string tracer_ptx(const std::vector<FragmentKey>& keys);

}  // namespace warpledger::derive
