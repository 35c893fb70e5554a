// Tensor cores: HMMA, IMMA, DMMA; LDSM and MOVM, which feed them.
//
// Fragments, with g = lane / 4 and t = lane % 4 (PTX ISA, mma.m16n8k16 and its kin): register r of
// A holds rows g + 8 (r % 2), of B columns g, of C and D rows g + 8 (r / 2) and columns 2 t + r
// % 2.
#include <cstring>

#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/numeric/arithmetic.h"
#include "warpledger/exec/numeric/convert.h"
#include "warpledger/exec/numeric/tensor_core.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using numeric::Factor;

constexpr int kColumns = 8, kMostDepth = 32;

uint32_t word_of(Context& context, const Operand& operand, int lane, int word) {
  return Lane(context, lane).word(operand, word);
}

/// Columns of A, and rows of B: 16 for HMMA.16816.
int depth_of(const Instruction& instruction) {
  if (instruction.has(M::k16816)) return 16;
  if (instruction.has(M::k1688)) return 8;
  if (instruction.has(M::k1684)) return 4;
  if (instruction.has(M::k8816)) return 16;
  return instruction.has(M::k16832) ? 32 : 4;
}

/// Elements of `bits` bits: `each` of them fill a register.
struct Elements {
  int bits = 16, each = 2;
  int rows = 16, depth = 16;
};

/// f(row, k, bits) for each element of A.
template <class F>
void each_of_a(Context& context, const Operand& a, const Elements& of, F f) {
  const int per_register = 4 * of.each;  // columns that four lanes hold
  const int registers = of.rows / 8 * of.depth / per_register;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int r = 0; r < registers; ++r) {
      const uint32_t word = word_of(context, a, lane, r);
      const int row = lane / 4 + (of.rows == 16 ? 8 * (r % 2) : 0);
      const int column = lane % 4 * of.each + (of.rows == 16 ? r / 2 : r) * per_register;
      for (int i = 0; i < of.each; ++i) f(row, column + i, uint64_t{word} >> (i * of.bits));
    }
  }
}

/// f(k, column, bits) for each element of B.
template <class F>
void each_of_b(Context& context, const Operand& b, const Elements& of, F f) {
  const int per_register = 4 * of.each;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int r = 0; r < of.depth / per_register; ++r) {
      const uint32_t word = word_of(context, b, lane, r);
      const int row = lane % 4 * of.each + r * per_register;
      for (int i = 0; i < of.each; ++i) f(row + i, lane / 4, uint64_t{word} >> (i * of.bits));
    }
  }
}

struct FloatOperands {
  Factor a[16][kMostDepth];
  Factor b[kColumns][kMostDepth];
};

FloatOperands read_floats(Context& context, const Instruction& instruction, int depth) {
  const bool is_tf32 = instruction.has(M::kTF32);
  const numeric::Format format = is_tf32                     ? numeric::kTf32
                                 : instruction.has(M::kBF16) ? numeric::kBf16
                                                             : numeric::kF16;
  const Elements of = is_tf32 ? Elements{32, 1, 16, depth} : Elements{16, 2, 16, depth};
  // tf32 is in the upper 19 bits of a register.
  const auto factor = [&](uint64_t bits) {
    return numeric::unpack_factor(format, is_tf32 ? (bits & 0xffff'ffff) >> 13 : bits & 0xffff);
  };
  FloatOperands read = {};
  each_of_a(context, instruction.operands[1], of,
            [&](int row, int k, uint64_t bits) { read.a[row][k] = factor(bits); });
  each_of_b(context, instruction.operands[2], of,
            [&](int k, int column, uint64_t bits) { read.b[column][k] = factor(bits); });
  return read;
}

numeric::TensorCore core_of(const Context& context, const Instruction& instruction) {
  const numeric::Format format = instruction.has(M::kTF32)   ? numeric::kTf32
                                 : instruction.has(M::kBF16) ? numeric::kBf16
                                                             : numeric::kF16;
  return numeric::tensor_core(context.loaded.architecture, format);
}

}  // namespace

void multiply_matrices(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  const int depth = depth_of(instruction);
  const FloatOperands read = read_floats(context, instruction, depth);
  const numeric::TensorCore core = core_of(context, instruction);
  const auto span = [&](const Factor* of) {
    return std::span<const Factor>(of, static_cast<size_t>(depth));
  };
  for_each_lane(lanes, [&](int number) {
    Lane lane(context, number);
    uint32_t halves[2] = {lane.word(operands[3]), lane.word(operands[3], 1)};
    uint32_t results[4] = {};
    for (int r = 0; r < 4; ++r) {
      const Factor* row = read.a[number / 4 + 8 * (r / 2)];
      const Factor* column = read.b[2 * (number % 4) + r % 2];
      const auto half = static_cast<uint16_t>(halves[r / 2] >> (16 * (r % 2)));
      results[r] = instruction.has(M::kF32)
                       ? numeric::dot_f32(core, span(row), span(column), lane.word(operands[3], r))
                       : numeric::dot_f16(core, span(row), span(column), half);
    }
    for (int r = 0; instruction.has(M::kF32) && r < 4; ++r) lane.set(operands[0], results[r], r);
    for (int r = 0; !instruction.has(M::kF32) && r < 2; ++r)
      lane.set(operands[0], results[2 * r] | results[2 * r + 1] << 16, r);
  });
}

/// .SAT is refused here: ptxas writes it for .satfinite alone.
void multiply_integer_matrices(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  if (instruction.has(M::kSAT))
    return context.stop("IMMA with .SAT is not supported", "unsupported-opcode");
  std::vector<bool> is_signed;
  for (const M one : instruction.modifiers.list()) {
    if (one == M::kS8 || one == M::kU8) is_signed.push_back(one == M::kS8);
  }
  is_signed.resize(2, true);
  const int depth = depth_of(instruction), rows = instruction.has(M::k8816) ? 8 : 16;
  const Elements of{8, 4, rows, depth};
  uint32_t a[16][kMostDepth] = {}, b[kColumns][kMostDepth] = {};
  each_of_a(context, operands[1], of, [&](int row, int k, uint64_t bits) {
    a[row][k] = static_cast<uint32_t>(numeric::extend({8, is_signed[0]}, bits & 255));
  });
  each_of_b(context, operands[2], of, [&](int k, int column, uint64_t bits) {
    b[column][k] = static_cast<uint32_t>(numeric::extend({8, is_signed[1]}, bits & 255));
  });
  for_each_lane(lanes, [&](int number) {
    Lane lane(context, number);
    for (int r = 0; r < rows / 4; ++r) {
      uint32_t sum = lane.word(operands[3], r);
      for (int k = 0; k < depth; ++k)
        sum += a[number / 4 + 8 * (r / 2)][k] * b[2 * (number % 4) + r % 2][k];
      lane.set(operands[0], sum, r);
    }
  });
}

/// D of 8 x 8 in f64: fused multiply-adds in ascending k.
void multiply_f64_matrices(Context& context, const Instruction& instruction, Lanes lanes) {
  const auto& operands = instruction.operands;
  constexpr int kDepth = 4;
  uint64_t a[8][kDepth] = {}, b[kColumns][kDepth] = {};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    a[lane / 4][lane % 4] = Lane(context, lane).pair(operands[1]);
    b[lane / 4][lane % 4] = Lane(context, lane).pair(operands[2]);
  }
  for_each_lane(lanes, [&](int number) {
    Lane lane(context, number);
    for (int r = 0; r < 2; ++r) {
      uint64_t sum = lane.word(operands[3], 2 * r) | uint64_t{lane.word(operands[3], 2 * r + 1)}
                                                         << 32;
      for (int k = 0; k < kDepth; ++k)
        sum = numeric::fma(numeric::kF64, a[number / 4][k], b[2 * (number % 4) + r][k], sum);
      lane.set(operands[0], static_cast<uint32_t>(sum), 2 * r);
      lane.set(operands[0], static_cast<uint32_t>(sum >> 32), 2 * r + 1);
    }
  });
}

namespace {

/// A matrix of 8 x 8 halves; lane l holds row l / 4 and columns 2 (l % 4), + 1.
struct Halves {
  uint16_t at[8][8] = {};
  [[nodiscard]] uint32_t of_lane(int lane, bool transposed) const {
    const int row = lane / 4, column = lane % 4 * 2;
    return transposed ? at[column][row] | uint32_t{at[column + 1][row]} << 16
                      : at[row][column] | uint32_t{at[row][column + 1]} << 16;
  }
  void set_lane(int lane, bool transposed, uint32_t word) {
    const int row = lane / 4, column = lane % 4 * 2;
    (transposed ? at[column][row] : at[row][column]) = static_cast<uint16_t>(word);
    (transposed ? at[column + 1][row] : at[row][column + 1]) = static_cast<uint16_t>(word >> 16);
  }
};

constexpr size_t kRowBytes = 16;

int matrices_of(const Instruction& instruction) {
  return instruction.has(M::k4) ? 4 : instruction.has(M::k2) ? 2 : 1;
}

/// Row `i` of the matrices in shared memory: matrix m has its row addresses in lanes 8 m to 8 m
/// + 7.
std::byte* matrix_row(Context& context, const Instruction& instruction, int i) {
  Lane lane(context, i);
  const auto address = static_cast<uint32_t>(lane.address(address_operand(instruction)));
  return find_bytes(lane, instruction, MemoryClass::kShared, address, kRowBytes);
}

}  // namespace

void load_matrices(Context& context, const Instruction& instruction, Lanes lanes) {
  const int count = matrices_of(instruction);
  Halves matrices[4] = {};
  for (int i = 0; i < 8 * count; ++i) {
    const std::byte* row = matrix_row(context, instruction, i);
    if (row == nullptr) return;
    std::memcpy(matrices[i / 8].at[i % 8], row, kRowBytes);
  }
  for_each_lane(lanes, [&](int number) {
    for (int i = 0; i < count; ++i)
      Lane(context, number)
          .set(instruction.operands[0], matrices[i].of_lane(number, instruction.has(M::kMT88)), i);
  });
}

void store_matrices(Context& context, const Instruction& instruction, Lanes) {
  const int count = matrices_of(instruction);
  Halves matrices[4] = {};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int i = 0; i < count; ++i)
      matrices[i].set_lane(lane, instruction.has(M::kMT88),
                           word_of(context, instruction.operands[1], lane, i));
  }
  for (int i = 0; i < 8 * count; ++i) {
    std::byte* row = matrix_row(context, instruction, i);
    if (row == nullptr) return;
    std::memcpy(row, matrices[i / 8].at[i % 8], kRowBytes);
  }
}

void transpose(Context& context, const Instruction& instruction, Lanes lanes) {
  Halves matrix;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const uint32_t word = word_of(context, instruction.operands[1], lane, 0);
    matrix.at[lane / 4][lane % 4 * 2] = static_cast<uint16_t>(word);
    matrix.at[lane / 4][lane % 4 * 2 + 1] = static_cast<uint16_t>(word >> 16);
  }
  for_each_lane(lanes, [&](int lane) {
    Lane(context, lane).set(instruction.operands[0], matrix.of_lane(lane, true));
  });
}

}  // namespace warpledger::exec::machine
