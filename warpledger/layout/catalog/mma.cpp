// mma.sync: PTX ISA 9.1, section 9.7.14.5, and the m8n8k4 f16 form of sm_70 (four independent
// products, one per quad pair).
#include <algorithm>
#include <array>

#include "warpledger/layout/catalog/rules.h"

namespace warpledger::catalog {
namespace {

using enum Element;

struct Instruction {
  MatrixShape shape;
  std::vector<Element> operands;      // of A and B
  std::vector<Element> accumulators;  // of C and D
  int first_arch;
};

const std::vector<Instruction>& instructions() {
  static const std::vector<Instruction> table = {
      {{8, 8, 4}, {kF16}, {kF16, kF32}, 70},
      {{16, 8, 8}, {kF16}, {kF16, kF32}, 75},
      {{16, 8, 16}, {kF16}, {kF16, kF32}, 80},
      {{16, 8, 8}, {kBf16}, {kF32}, 80},
      {{16, 8, 16}, {kBf16}, {kF32}, 80},
      {{16, 8, 4}, {kTf32}, {kF32}, 80},
      {{16, 8, 8}, {kTf32}, {kF32}, 80},
      {{8, 8, 4}, {kF64}, {kF64}, 80},
      {{16, 8, 4}, {kF64}, {kF64}, 90},
      {{16, 8, 8}, {kF64}, {kF64}, 90},
      {{16, 8, 16}, {kF64}, {kF64}, 90},
      {{8, 8, 16}, {kS8, kU8}, {kS32}, 75},
      {{16, 8, 16}, {kS8, kU8}, {kS32}, 80},
      {{16, 8, 32}, {kS8, kU8}, {kS32}, 80},
      {{16, 8, 16}, {kE4m3, kE5m2}, {kF16, kF32}, 89},
      {{16, 8, 32}, {kE4m3, kE5m2}, {kF16, kF32}, 89},
      {{16, 8, 32}, {kE3m2, kE2m3, kE2m1}, {kF32}, 120},  // kind::f8f6f4, a byte each
      {{8, 8, 32}, {kS4, kU4}, {kS32}, 75},
      {{16, 8, 32}, {kS4, kU4}, {kS32}, 80},
      {{16, 8, 64}, {kS4, kU4}, {kS32}, 80},
      {{16, 8, 64}, {kE2m1}, {kF32}, 120},
      {{8, 8, 128}, {kB1}, {kS32}, 75},
      {{16, 8, 128}, {kB1}, {kS32}, 80},
      {{16, 8, 256}, {kB1}, {kS32}, 80},
  };
  return table;
}

bool holds(const std::vector<Element>& list, Element element) {
  return std::find(list.begin(), list.end(), element) != list.end();
}

/// The first architecture that has the fragment; 0 when none does.
int first_arch_of(const FragmentKey& key) {
  int first = 0;
  for (const Instruction& instruction : instructions()) {
    const auto& types =
        key.operand == Operand::kC ? instruction.accumulators : instruction.operands;
    if (instruction.shape != key.shape || !holds(types, key.element)) continue;
    first = first == 0 ? instruction.first_arch : std::min(first, instruction.first_arch);
  }
  return first;
}

bool is_quad_pair(const FragmentKey& key) {
  return key.shape == MatrixShape{8, 8, 4} && key.element != kF64;
}

/// m8n8k4 f16: lane = x + 4p + 16h, product p; x walks the memory order's slow index.
LinearMap quad_pair_map(const FragmentKey& key) {
  const int rows = key.operand == Operand::kB ? 4 : 8;
  const int cols = key.operand == Operand::kA ? 4 : 8;
  const Space to({{"row", rows}, {"col", cols}, {"product", 4}});
  const auto at = [&](int r, int c, int p) { return to.pack({r, c, p}); };
  const uint64_t p0 = at(0, 0, 1), p1 = at(0, 0, 2);
  const bool by_row = !key.column_major;
  std::vector<uint64_t> bases;
  if (key.operand == Operand::kA) {
    bases =
        by_row
            ? std::vector{at(0, 1, 0), at(0, 2, 0), at(1, 0, 0), at(2, 0, 0), p0, p1, at(4, 0, 0)}
            : std::vector{at(1, 0, 0), at(2, 0, 0), at(0, 1, 0), at(0, 2, 0), p0, p1, at(4, 0, 0)};
  } else if (key.operand == Operand::kB) {
    bases =
        by_row
            ? std::vector{at(0, 1, 0), at(0, 2, 0), at(1, 0, 0), at(2, 0, 0), p0, p1, at(0, 4, 0)}
            : std::vector{at(1, 0, 0), at(2, 0, 0), at(0, 1, 0), at(0, 2, 0), p0, p1, at(0, 4, 0)};
  } else if (key.element == kF16) {
    bases = {at(0, 1, 0), at(0, 2, 0), at(0, 4, 0), at(1, 0, 0), at(2, 0, 0), p0, p1, at(4, 0, 0)};
  } else {
    bases = {at(0, 1, 0), at(2, 0, 0), at(0, 4, 0), at(1, 0, 0), at(0, 2, 0), p0, p1, at(4, 0, 0)};
  }
  const int64_t registers = int64_t{1} << (bases.size() - 5);
  return LinearMap(Space({{"register", registers}, {"lane", 32}}), to, std::move(bases));
}

/// kind::f8f6f4 gives every element a byte; e2m1 is packed in m16n8k64 alone.
int register_bits(const FragmentKey& key) {
  return key.element == kE2m1 && key.shape.k == 32 ? 8 : bits_of(key.element);
}

LinearMap rule_map(const FragmentKey& key) {
  const auto [m, n, k] = key.shape;
  const int e = std::max(1, 32 / register_bits(key));
  switch (key.operand) {
    case Operand::kA:
      return map_of(multiplicand_a(m, k, e), m, k);
    case Operand::kB:
      return map_of(multiplicand_b(n, k, e), k, n);
    case Operand::kC:
      break;
  }
  return map_of(accumulator(m, n), m, n);
}

}  // namespace

Result<Fragment> find_mma(const FragmentKey& key) {
  const int first = first_arch_of(key);
  if (first == 0) return unknown_fragment(key, mma_keys(1000));
  if (key.arch < first) return needs_arch(key, first);
  Fragment fragment{.name = name_of(key),
                    .map = is_quad_pair(key) ? quad_pair_map(key) : rule_map(key),
                    .element_bits = register_bits(key),
                    .first_arch = first,
                    .source = "PTX ISA 9.1, 9.7.14.5"};
  fragment.rows = static_cast<int>(fragment.map.to().size_of("row"));
  fragment.cols = static_cast<int>(fragment.map.to().size_of("col"));
  fragment.elements = static_cast<int>(fragment.map.from().size_of("register"));
  return fragment;
}

std::vector<FragmentKey> mma_keys(int arch) {
  std::vector<FragmentKey> keys;
  const auto add = [&](const FragmentKey& key) {
    for (const FragmentKey& known : keys) {
      if (name_of(known) == name_of(key)) return;
    }
    keys.push_back(key);
  };
  for (const Instruction& instruction : instructions()) {
    if (instruction.first_arch > arch) continue;
    for (const Operand operand : {Operand::kA, Operand::kB}) {
      for (const Element element : instruction.operands) {
        add({Family::kMma, instruction.shape, operand, element, false, arch});
      }
    }
    for (const Element element : instruction.accumulators) {
      add({Family::kMma, instruction.shape, Operand::kC, element, false, arch});
    }
  }
  return keys;
}

}  // namespace warpledger::catalog
