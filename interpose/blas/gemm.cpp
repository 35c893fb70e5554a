#include "interpose/blas/gemm.h"

#include <fmt/core.h>

#include <array>
#include <climits>
#include <cstring>

namespace warpledger::cuda::blas {
namespace {

using math::Gemm;
using math::Matrix;
using math::Op;
using math::Type;

constexpr int64_t kScalarBytes = 16;  // the largest: complex double
using Bytes = std::array<std::byte, kScalarBytes>;

int64_t rows(Op op, int64_t straight, int64_t turned) {
  return op == Op::kNone ? straight : turned;
}

/// A copy of a host's scalar; a device's is left where it is.
const void* held(const Handle& handle, const void* from, Type type, Bytes& room) {
  if (handle.pointer_mode == 1) return from;
  std::memcpy(room.data(), from, static_cast<size_t>(math::size_of(type)));
  return nullptr;
}

Operand over_batch(Operand one, int64_t stride, int64_t bytes, int64_t count) {
  if (one.bytes > 0) one.bytes += static_cast<uint64_t>((count - 1) * stride * bytes);
  return one;
}

std::vector<Operand> operands_of(const Gemm& gemm, const Batch& batch) {
  const bool a_turned = gemm.a_op != Op::kNone, b_turned = gemm.b_op != Op::kNone;
  const int64_t a_size = math::size_of(gemm.a.type), b_size = math::size_of(gemm.b.type);
  const int64_t c_size = math::size_of(gemm.c.type);
  const Operand a = matrix_operand("A", gemm.a.data, a_turned ? gemm.k : gemm.m,
                                   a_turned ? gemm.m : gemm.k, gemm.a.ld, a_size);
  const Operand b = matrix_operand("B", gemm.b.data, b_turned ? gemm.n : gemm.k,
                                   b_turned ? gemm.k : gemm.n, gemm.b.ld, b_size);
  const Operand c = matrix_operand("C", gemm.c.data, gemm.m, gemm.n, gemm.c.ld, c_size);
  if (batch.a_list == nullptr) {
    return {over_batch(a, batch.a_stride, a_size, batch.count),
            over_batch(b, batch.b_stride, b_size, batch.count),
            over_batch(c, batch.c_stride, c_size, batch.count)};
  }
  const uint64_t bytes = static_cast<uint64_t>(batch.count) * sizeof(void*);
  return {{"A's pointers", batch.a_list, bytes},
          {"B's pointers", batch.b_list, bytes},
          {"C's pointers", batch.c_list, bytes}};
}

void* moved(const Matrix& matrix, int64_t elements) {
  return static_cast<std::byte*>(matrix.data) + elements * math::size_of(matrix.type);
}

Gemm nth(Gemm gemm, const Batch& batch, int64_t i) {
  const bool listed = batch.a_list != nullptr;
  gemm.a.data = listed ? const_cast<void*>(batch.a_list[i]) : moved(gemm.a, i * batch.a_stride);
  gemm.b.data = listed ? const_cast<void*>(batch.b_list[i]) : moved(gemm.b, i * batch.b_stride);
  gemm.c.data = listed ? batch.c_list[i] : moved(gemm.c, i * batch.c_stride);
  gemm.d = gemm.c;
  return gemm;
}

/// Of a list of pointers, each matrix; they are known when the call is made, except in a capture.
bool add_listed(std::vector<Operand>& operands, const Gemm& gemm, const Batch& batch) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  for (const Operand& list : operands) {
    if (!core.memory().is_device(reinterpret_cast<uint64_t>(list.data))) return false;
  }
  for (int64_t i = 0; i < batch.count; ++i) {
    for (const Operand& one : operands_of(nth(gemm, batch, i), {})) operands.push_back(one);
  }
  return true;
}

bool is_captured(const Handle& handle) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  const Stream* stream = core.timeline().find(handle.stream);
  return stream != nullptr && stream->capture != nullptr;
}

}  // namespace

bool set_compute_type(Gemm& gemm, int compute_type) {
  const bool complex = gemm.c.type == Type::kC32F || gemm.c.type == Type::kC64F;
  const auto set = [&](Type accumulate, Type scale) {
    gemm.accumulate = accumulate;
    gemm.scale = scale;
    return true;
  };
  switch (compute_type) {
    case 64:
    case 65:
      return set(Type::kR32F, Type::kR16F);  // half: summed in float here
    case 68:
    case 69:
    case 74:
    case 75:
    case 77:
    case 78:
      return complex ? set(Type::kC32F, Type::kC32F) : set(Type::kR32F, Type::kR32F);
    case 70:
    case 71:
    case 79:
      return complex ? set(Type::kC64F, Type::kC64F) : set(Type::kR64F, Type::kR64F);
    case 72:
    case 73:
      return set(Type::kR32I, Type::kR32I);
    default:
      return false;
  }
}

GemmCost cost_of(const Gemm& gemm, bool allows_tf32) {
  const double products =
      static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
  switch (gemm.a.type) {
    case Type::kR64F:
      return {MathPipe::kFp64, 2 * products};
    case Type::kC64F:
      return {MathPipe::kFp64, 8 * products};
    case Type::kC32F:
      return {MathPipe::kFp32, 8 * products};
    // TF32 has half the rate of FP16 on every tensor core that has both.
    case Type::kR32F:
      return allows_tf32 ? GemmCost{MathPipe::kTensorFp16, 4 * products}
                         : GemmCost{MathPipe::kFp32, 2 * products};
    default:
      return {MathPipe::kTensorFp16, 2 * products};
  }
}

Status check_gemm(const char* name, const Gemm& gemm) {
  for (const Op op : {gemm.a_op, gemm.b_op}) {
    if (static_cast<int>(op) < 0 || static_cast<int>(op) > 2) return kInvalidValue;
  }
  if (gemm.m < 0 || gemm.n < 0 || gemm.k < 0) return kInvalidValue;
  if (gemm.a.ld < std::max<int64_t>(1, rows(gemm.a_op, gemm.m, gemm.k))) return kInvalidValue;
  if (gemm.b.ld < std::max<int64_t>(1, rows(gemm.b_op, gemm.k, gemm.n))) return kInvalidValue;
  if (gemm.c.ld < std::max<int64_t>(1, gemm.m)) return kInvalidValue;
  if (gemm.alpha == nullptr || gemm.beta == nullptr) return kInvalidValue;
  const bool is_large =
      std::max({gemm.m, gemm.n, gemm.k, gemm.a.ld, gemm.b.ld, gemm.c.ld}) > INT_MAX;
  if (!is_large && is_supported(gemm)) return kSuccess;
  refuse_library_call(
      fmt::format("{} with {}", name,
                  is_large
                      ? "sizes of more than 31 bits"
                      : fmt::format("cudaDataType {} x {} -> {}", static_cast<int>(gemm.a.type),
                                    static_cast<int>(gemm.b.type), static_cast<int>(gemm.c.type)))
          .c_str());
  return kNotSupported;
}

Status do_gemm(const char* name, const Handle* handle, Gemm gemm, Batch batch, bool allows_tf32) {
  if (handle == nullptr) return kNotInitialized;
  gemm.d = gemm.c;
  if (batch.count < 0) return kInvalidValue;
  if (const Status status = check_gemm(name, gemm); status != kSuccess) return status;
  if (batch.count == 0 || gemm.m == 0 || gemm.n == 0) return kSuccess;
  Bytes alpha{}, beta{};
  const void* alpha_there = held(*handle, gemm.alpha, gemm.scale, alpha);
  const void* beta_there = held(*handle, gemm.beta, gemm.scale, beta);
  const GemmCost cost = cost_of(gemm, allows_tf32 || handle->math_mode == kTf32Math);
  std::vector<Operand> operands = operands_of(gemm, batch);
  if (batch.a_list != nullptr && !is_captured(*handle) && !add_listed(operands, gemm, batch))
    return kInvalidValue;
  return run(*handle, {.name = name,
                       .operands = std::move(operands),
                       .flops = cost.flops * static_cast<double>(batch.count),
                       .pipe = cost.pipe,
                       .compute = [=] {
                         Gemm each = gemm;
                         each.alpha = alpha_there != nullptr ? alpha_there : alpha.data();
                         each.beta = beta_there != nullptr ? beta_there : beta.data();
                         for (int64_t i = 0; i < batch.count; ++i) compute(nth(each, batch, i));
                       }});
}

}  // namespace warpledger::cuda::blas
