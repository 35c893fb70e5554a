// The closed rules that all matrix instructions reduce to. One basis is a power of two in a row, in
// a column, or nothing (a replicated bit).
#pragma once

#include <vector>

#include "warpledger/layout/catalog/fragment.h"

namespace warpledger::catalog {

struct Basis {
  int row = 0;
  int col = 0;
};
inline Basis row(int n) { return {n, 0}; }
inline Basis col(int n) { return {0, n}; }
inline Basis nothing() { return {0, 0}; }

struct Bits {
  std::vector<Basis> registers;
  std::vector<Basis> lanes;
};

/// Rows become columns: the same operand of the transposed product.
[[nodiscard]] Bits transpose(Bits bits);
/// Register bits appended until there are 2^count elements, all of them copies.
[[nodiscard]] Bits replicate_to(Bits bits, int elements);
[[nodiscard]] LinearMap map_of(const Bits& bits, int rows, int cols);

/// The rule of mma.sync for operand elements packed e to a 32-bit register, g = lane>>2, t =
/// lane&3:
///   A: row = g + 8*(q&1), k = e*t + j + 4e*(q>>1)      with i = e*q + j (M = 8: no row bit)
///   B: k = e*t + j + 4e*q, n = g
///   C: row = g + 8*(i>>1), col = 2t + (i&1)
/// and rows, columns beyond the first m16n8 in further register bits, in that order.
[[nodiscard]] Bits multiplicand_a(int m, int k, int e);
[[nodiscard]] Bits multiplicand_b(int n, int k, int e);
[[nodiscard]] Bits accumulator(int m, int n);

[[nodiscard]] Result<Fragment> find_mma(const FragmentKey& key);
[[nodiscard]] Result<Fragment> find_wmma(const FragmentKey& key);
[[nodiscard]] Result<Fragment> find_wgmma(const FragmentKey& key);

/// Which keys exist (arch aside), for listings and hints.
[[nodiscard]] std::vector<FragmentKey> mma_keys(int arch);
[[nodiscard]] std::vector<FragmentKey> wmma_keys(int arch);
[[nodiscard]] std::vector<FragmentKey> wgmma_keys(int arch);

/// "no such fragment: ..." with what is near as the hint.
[[nodiscard]] Diagnostic unknown_fragment(const FragmentKey& key, std::vector<FragmentKey> known);
[[nodiscard]] Diagnostic needs_arch(const FragmentKey& key, int first_arch);

}  // namespace warpledger::catalog
