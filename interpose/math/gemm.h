// D = f(alpha op(A) op(B) + beta C), columns first, as cuBLAS and cuBLASLt define it. Products are
// summed in the accumulator's type and rounded once, when D is stored: what tensor cores do with
// 16-bit accumulators or TF32 inputs is less exact than this.
#pragma once

#include <optional>
#include <vector>

#include "interpose/math/number.h"

namespace warpledger::math {

/// The numbers of cublasOperation_t.
enum class Op : int { kNone = 0, kTranspose = 1, kAdjoint = 2 };

struct Matrix {
  void* data = nullptr;
  Type type = Type::kR32F;
  int64_t ld = 1;
};

/// What happens to the sums before they are stored; in the accumulator's type.
struct Epilogue {
  enum class Function { kNone, kRelu, kGelu, kGeluGradient };
  Function function = Function::kNone;
  std::optional<Matrix> bias = {};  // m values, added to each column
  std::optional<Matrix> aux = {};   // kGelu: gets its input; kGeluGradient: the input then
  enum class Gradient { kNone, kOfA, kOfB };
  Gradient gradient = Gradient::kNone;
  std::optional<Matrix> gradient_to = {};  // m sums of op(A)'s rows, or n of op(B)'s columns
};

struct Gemm {
  Op a_op = Op::kNone, b_op = Op::kNone;
  int64_t m = 0, n = 0, k = 0;
  Matrix a, b, c, d;
  Type accumulate = Type::kR32F;  // real or complex float or double, or kR32I
  Type scale = Type::kR32F;       // of alpha and beta
  const void* alpha = nullptr;
  const void* beta = nullptr;
  Epilogue epilogue = {};
};

/// A and B are not read where alpha is 0, nor C where beta is. Pre: has_openblas(); sizes fit 32
/// bits.
void compute(const Gemm& gemm);

/// Whether compute() takes these types.
[[nodiscard]] bool is_supported(const Gemm& gemm);

/// GELU by its tanh formula, and its derivative.
[[nodiscard]] double gelu(double x);
[[nodiscard]] double gelu_gradient(double x);

}  // namespace warpledger::math
