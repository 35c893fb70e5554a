// What descriptors mean.
#include <fmt/core.h>

#include <cstring>

#include "interpose/blas_lt/descriptors.h"

namespace warpledger::cuda::blas_lt {
namespace {

using namespace blas;
using math::Epilogue;
using math::Matrix;
using math::Op;
using math::Type;

// Bits of cublasLtEpilogue_t.
constexpr int kDefault = 1, kRelu = 2, kBias = 4, kGelu = 32, kGeluGradient = 64, kAux = 128;
constexpr int kBiasGradientA = 256, kBiasGradientB = 512;
constexpr float kOne = 1;  // in place of alpha and beta, until they are known

Status refuse(const std::string& what) {
  refuse_library_call(("cublasLtMatmul with " + what).c_str());
  return kNotSupported;
}

Op turned(Op op) { return op == Op::kNone ? Op::kTranspose : Op::kNone; }

bool set_function(int bits, Epilogue& made) {
  using Function = Epilogue::Function;
  switch (bits) {
    case 0:
    case kDefault:
      return true;
    case kRelu:
      return made.function = Function::kRelu, true;
    case kGelu:
    case kGelu | kAux:
      return made.function = Function::kGelu, true;
    case kGeluGradient | kAux:
      return made.function = Function::kGeluGradient, true;
    default:
      return false;
  }
}

Status set_epilogue(const MatmulDesc& desc, int d_type, Epilogue& made) {
  const int gradients = desc.epilogue & (kBiasGradientA | kBiasGradientB);
  if (!set_function(desc.epilogue & ~(kBias | kBiasGradientA | kBiasGradientB), made))
    return refuse(fmt::format("epilogue {}", desc.epilogue));
  const auto type = [&](int asked) { return Type(asked < 0 ? d_type : asked); };
  const bool uses_bias = (desc.epilogue & kBias) != 0 || gradients != 0;
  if (uses_bias && desc.bias == nullptr) return kInvalidValue;
  const Matrix bias{desc.bias, type(desc.bias_type), 1};
  if ((desc.epilogue & kBias) != 0) made.bias = bias;
  if (gradients != 0) {
    made.gradient =
        gradients == kBiasGradientA ? Epilogue::Gradient::kOfA : Epilogue::Gradient::kOfB;
    made.gradient_to = bias;
  }
  if ((desc.epilogue & kAux) == 0) return kSuccess;
  if (desc.aux == nullptr) return kInvalidValue;
  made.aux = Matrix{desc.aux, type(desc.aux_type), desc.aux_ld};
  return kSuccess;
}

/// Rows first is columns first of the transpose.
Status set_orders(const MatmulLayouts& layouts, math::Gemm& gemm) {
  for (const Layout* layout : {layouts.a, layouts.b, layouts.c, layouts.d}) {
    if (layout->order != 0 && layout->order != 1)
      return refuse(fmt::format("matrices of order {}", layout->order));
  }
  const bool adjoint = gemm.a_op == Op::kAdjoint || gemm.b_op == Op::kAdjoint;
  const bool complex = gemm.accumulate == Type::kC32F || gemm.accumulate == Type::kC64F;
  const bool rows_first = layouts.a->order + layouts.b->order + layouts.d->order > 0;
  if (rows_first && adjoint && complex)
    return refuse("a conjugate transpose of a row-major matrix");
  if (layouts.a->order == 1) gemm.a_op = turned(gemm.a_op);
  if (layouts.b->order == 1) gemm.b_op = turned(gemm.b_op);
  if (layouts.c->order != layouts.d->order) return refuse("different orders of C and D");
  return kSuccess;
}

/// D^T = op(B)^T op(A)^T.
void transpose(Matmul& matmul) {
  math::Gemm& gemm = matmul.gemm;
  std::swap(gemm.a, gemm.b);
  std::swap(gemm.m, gemm.n);
  const Op a_op = gemm.a_op;
  gemm.a_op = turned(gemm.b_op);
  gemm.b_op = turned(a_op);
  std::swap(matmul.a_stride, matmul.b_stride);
}

Matrix matrix_of(const Layout& layout) { return {nullptr, Type(layout.type), layout.ld}; }

Status check_shapes(const MatmulDesc& desc, const MatmulLayouts& layouts, math::Gemm& gemm) {
  const auto rows = [](const Layout& one, int op) { return op == 0 ? one.rows : one.columns; };
  const auto columns = [](const Layout& one, int op) { return op == 0 ? one.columns : one.rows; };
  const Layout &a = *layouts.a, &b = *layouts.b, &c = *layouts.c, &d = *layouts.d;
  if (rows(a, desc.a_op) != d.rows || columns(b, desc.b_op) != d.columns) return kInvalidValue;
  if (columns(a, desc.a_op) != rows(b, desc.b_op)) return kInvalidValue;
  if (c.rows != d.rows || c.columns != d.columns) return kInvalidValue;
  for (const Layout* one : {&a, &b, &c}) {
    if (one->batch != d.batch) return kInvalidValue;
  }
  gemm.m = static_cast<int64_t>(d.rows);
  gemm.n = static_cast<int64_t>(d.columns);
  gemm.k = static_cast<int64_t>(columns(a, desc.a_op));
  return kSuccess;
}

}  // namespace

Status make_matmul(const MatmulDesc& desc, const MatmulLayouts& layouts, Matmul& made) {
  math::Gemm& gemm = made.gemm;
  gemm = {.a_op = Op(desc.a_op), .b_op = Op(desc.b_op)};
  gemm.a = matrix_of(*layouts.a);
  gemm.b = matrix_of(*layouts.b);
  gemm.c = matrix_of(*layouts.c);
  gemm.d = matrix_of(*layouts.d);
  if (!set_compute_type(gemm, desc.compute_type))
    return refuse(fmt::format("compute type {}", desc.compute_type));
  gemm.scale = Type(desc.scale_type);
  if (desc.c_op != 0) return refuse("a transposed C");
  if (desc.fill != 2) return refuse("a triangle of C");
  if (desc.pointer_mode > 1) return refuse("a vector of alphas");
  if (const Status status = check_shapes(desc, layouts, gemm); status != kSuccess) return status;
  if (const Status status = set_epilogue(desc, layouts.d->type, gemm.epilogue); status != kSuccess)
    return status;
  if (const Status status = set_orders(layouts, gemm); status != kSuccess) return status;
  made.batch = layouts.d->batch;
  made.a_stride = layouts.a->stride;
  made.b_stride = layouts.b->stride;
  made.c_stride = layouts.c->stride;
  made.d_stride = layouts.d->stride;
  made.bias_stride = desc.bias_stride;
  made.aux_stride = desc.aux_stride;
  if (layouts.d->order == 1) {
    if (desc.epilogue != kDefault) return refuse("an epilogue on rows");
    transpose(made);
  }
  gemm.alpha = gemm.beta = &kOne;
  return check_gemm("cublasLtMatmul", gemm);
}

}  // namespace warpledger::cuda::blas_lt
