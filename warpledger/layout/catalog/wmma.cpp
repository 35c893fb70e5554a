// wmma: PTX leaves the distribution open, ptxas fixes it. These rules are its choice, read from the
// machine code of 528 kernels (docs/layout.md, derivation); tests/inputs/wmma_bases.json holds what
// was read, and `warpledger layout derive` reads it again. Three families: sm_70, sm_75, sm_80 on.
#include <algorithm>

#include "warpledger/layout/catalog/rules.h"

namespace warpledger::catalog {
namespace {

using enum Element;

struct Instruction {
  MatrixShape shape;
  Element operand;
  std::vector<Element> accumulators;
  int first_arch;
};

const std::vector<Instruction>& instructions() {
  static const std::vector<Instruction> table = [] {
    std::vector<Instruction> rows;
    for (const MatrixShape& shape : {MatrixShape{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}) {
      rows.push_back({shape, kF16, {kF16, kF32}, 70});
      rows.push_back({shape, kBf16, {kF32}, 80});
      rows.push_back({shape, kS8, {kS32}, 75});
      rows.push_back({shape, kU8, {kS32}, 75});
    }
    rows.push_back({{16, 16, 8}, kTf32, {kF32}, 80});
    rows.push_back({{8, 8, 4}, kF64, {kF64}, 80});
    rows.push_back({{8, 8, 32}, kS4, {kS32}, 75});
    rows.push_back({{8, 8, 32}, kU4, {kS32}, 75});
    rows.push_back({{8, 8, 128}, kB1, {kS32}, 75});
    return rows;
  }();
  return table;
}

int first_arch_of(const FragmentKey& key) {
  int first = 0;
  for (const Instruction& row : instructions()) {
    const bool fits = key.operand == Operand::kC
                          ? std::find(row.accumulators.begin(), row.accumulators.end(),
                                      key.element) != row.accumulators.end()
                          : row.operand == key.element;
    if (row.shape == key.shape && fits)
      first = first == 0 ? row.first_arch : std::min(first, row.first_arch);
  }
  return first;
}

/// sm_70: a quad pair owns an 8 x 8 block; the two lane bits that number quad pairs spread the
/// blocks over rows, then columns. An operand that does not span a block bit is replicated over it.
Bits volta_bits(const FragmentKey& key) {
  std::vector<Basis> blocks;
  for (int r = 8; r < key.shape.m; r *= 2) blocks.push_back(row(r));
  for (int c = 8; c < key.shape.n; c *= 2) blocks.push_back(col(c));
  for (Basis& block : blocks) {
    if (key.operand == Operand::kA) block.col = 0;
    if (key.operand == Operand::kB) block.row = 0;
  }
  const bool by_row = !key.column_major;
  switch (key.operand) {
    case Operand::kA:
      if (by_row)
        return {{col(1), col(2), col(4), col(8)}, {row(1), row(2), blocks[0], blocks[1], row(4)}};
      return {{row(1), row(2), col(4), col(8)}, {col(1), col(2), blocks[0], blocks[1], row(4)}};
    case Operand::kB:
      if (by_row)
        return {{col(1), col(2), row(4), row(8)}, {row(1), row(2), blocks[0], blocks[1], col(4)}};
      return {{row(1), row(2), row(4), row(8)}, {col(1), col(2), blocks[0], blocks[1], col(4)}};
    case Operand::kC:
      break;
  }
  if (key.element == kF16)
    return {{col(1), col(2), col(4)}, {row(1), row(2), blocks[0], blocks[1], row(4)}};
  return {{col(1), row(2), col(4)}, {row(1), col(2), blocks[0], blocks[1], row(4)}};
}

/// sm_75 on: tiles of the mma.sync rule; m8n32 is computed as the transposed m32n8 product.
Bits turing_bits(const FragmentKey& key) {
  const auto [m, n, k] = key.shape;
  const int e = std::max(1, 32 / bits_of(key.element));
  const bool transposed = n > 16 && !(key.arch < 80 && key.element == kS32);
  if (transposed) {
    FragmentKey turned = key;
    turned.shape = {n, m, k};
    if (key.operand == Operand::kA) turned.operand = Operand::kB;
    if (key.operand == Operand::kB) turned.operand = Operand::kA;
    return transpose(turing_bits(turned));
  }
  if (key.operand == Operand::kC) return accumulator(m, n);
  const Bits bits = key.operand == Operand::kA ? multiplicand_a(m, k, e) : multiplicand_b(n, k, e);
  // Half fragments have 16 elements everywhere, since sm_70 needed them; the rest are copies.
  return key.element == kF16 ? replicate_to(bits, 16) : bits;
}

}  // namespace

Result<Fragment> find_wmma(const FragmentKey& key) {
  const int first = first_arch_of(key);
  if (first == 0) return unknown_fragment(key, wmma_keys(1000));
  if (key.arch < first) return needs_arch(key, first);
  const auto [m, n, k] = key.shape;
  const int rows = key.operand == Operand::kB ? k : m;
  const int cols = key.operand == Operand::kA ? k : n;
  const Bits bits = key.arch < 75 ? volta_bits(key) : turing_bits(key);
  return Fragment{.name = name_of(key),
                  .map = map_of(bits, rows, cols),
                  .rows = rows,
                  .cols = cols,
                  .elements = 1 << bits.registers.size(),
                  .element_bits = bits_of(key.element),
                  .first_arch = first,
                  .source = "read from the code of ptxas 12.9 (sm_70) and 13.0",
                  .fidelity = Fidelity::kExact};
}

std::vector<FragmentKey> wmma_keys(int arch) {
  std::vector<FragmentKey> keys;
  for (const Instruction& row : instructions()) {
    if (row.first_arch > arch) continue;
    for (const Operand operand : {Operand::kA, Operand::kB}) {
      keys.push_back({Family::kWmma, row.shape, operand, row.operand, false, arch});
    }
    // Accumulators are those of f16, s8 and s4, already listed.
    if (row.operand == kBf16 || row.operand == kU8 || row.operand == kU4) continue;
    for (const Element element : row.accumulators) {
      keys.push_back({Family::kWmma, row.shape, Operand::kC, element, false, arch});
    }
  }
  return keys;
}

}  // namespace warpledger::catalog
