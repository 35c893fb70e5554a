// interpose/sparse/: our libcusparse.so.12, products of sparse and dense matrices through the
// generic interface. It knows cuSPARSE's ABI, declared here by ourselves; it must not know how
// products are computed (interpose/math/sparse.h).
#include <array>

#include "interpose/math/element.h"
#include "interpose/sparse/descriptors.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::sparse;
namespace math = warpledger::math;

namespace {

using math::Dense;
using math::DoubleComplex;
using math::Op;
using math::Sparse;
using math::Type;

std::vector<Operand> operands_of(const Sparse& a, const Dense& x, const Dense& y) {
  const auto bytes = [](math::Index index) { return index == math::Index::k64 ? 8u : 4u; };
  const auto dense = [](const Dense& one) {
    const int64_t last =
        one.rows == 0 || one.columns == 0 ? 0 : one.place(one.rows - 1, one.columns - 1) + 1;
    return static_cast<uint64_t>(last * math::size_of(one.type));
  };
  const auto count = static_cast<uint64_t>(a.count);
  return {{"A's rows", a.major, static_cast<uint64_t>(a.major_count()) * bytes(a.major_index)},
          {"A's columns", a.minor, count * bytes(a.minor_index)},
          {"A's values", a.values, count * static_cast<uint64_t>(math::size_of(a.type))},
          {"X", x.data, dense(x)},
          {"Y", y.data, dense(y)}};
}

bool is_op(int op) { return op >= 0 && op <= 2; }

bool do_shapes_match(const Sparse& a, int a_op, const Dense& x, int x_op, const Dense& y) {
  const int64_t rows = a_op == 0 ? a.rows : a.columns, inner = a_op == 0 ? a.columns : a.rows;
  const int64_t x_rows = x_op == 0 ? x.rows : x.columns, x_columns = x_op == 0 ? x.columns : x.rows;
  return y.rows == rows && x_rows == inner && y.columns == x_columns;
}

/// alpha and beta, of the type that is computed in: now, or by the device when it is computed.
auto reader(const Handle& handle, const void* from, Type type) {
  const bool there = handle.pointer_mode == 1;
  const DoubleComplex now = there ? DoubleComplex() : math::load<DoubleComplex>(from, type, 0);
  return [=] { return there ? math::load<DoubleComplex>(from, type, 0) : now; };
}

Status check(const char* name, const Handle* handle, const void* alpha, const Sparse* a, int a_op,
             const Dense* x, int x_op, const void* beta, const Dense* y, int compute_type) {
  if (handle == nullptr) return kNotInitialized;
  if (!alpha || !a || !x || !beta || !y || !is_op(a_op) || !is_op(x_op)) return kInvalidValue;
  if (!do_shapes_match(*a, a_op, *x, x_op, *y)) return kInvalidValue;
  for (const Type type : {a->type, x->type, y->type, Type(compute_type)}) {
    if (math::size_of(type) != 0) continue;
    refuse_library_call((std::string(name) + " with these types").c_str());
    return kNotSupported;
  }
  return kSuccess;
}

Status do_product(const char* name, const Handle* handle, int a_op, int x_op, const void* alpha,
                  const Sparse* a, const Dense* x, const void* beta, const Dense* y,
                  int compute_type) {
  const Status status = check(name, handle, alpha, a, a_op, x, x_op, beta, y, compute_type);
  if (status != kSuccess) return status;
  const bool in_double = y->type == Type::kR64F || y->type == Type::kC64F;
  const Error error = run_library_call(
      handle->stream,
      {.library = "cuSPARSE",
       .name = name,
       .operands = operands_of(*a, *x, *y),
       .flops = 2 * static_cast<double>(a->count) * static_cast<double>(y->columns),
       .pipe = in_double ? MathPipe::kFp64 : MathPipe::kFp32,
       .compute = [=, a = *a, x = *x, y = *y, p = reader(*handle, alpha, Type(compute_type)),
                   q = reader(*handle, beta, Type(compute_type))] {
         if (!math::multiply(a, Op(a_op), x, Op(x_op), p(), q(), y))
           Core::say(std::string(name) + ": an index of A is out of range; Y is unchanged");
       }});
  return error == Error::kNone ? kSuccess : kExecutionFailed;
}

Status no_buffer(size_t* bytes) {
  if (bytes == nullptr) return kInvalidValue;
  return *bytes = 0, kSuccess;
}

}  // namespace

extern "C" {

int cusparseSpMV_bufferSize(Handle*, int, const void*, const Sparse*, const Dense*, const void*,
                            Dense*, int, int, size_t* bytes) {
  return no_buffer(bytes);
}
int cusparseSpMV_preprocess(Handle*, int, const void*, const Sparse*, const Dense*, const void*,
                            Dense*, int, int, void*) {
  return kSuccess;
}
int cusparseSpMV(Handle* handle, int op, const void* alpha, const Sparse* a, const Dense* x,
                 const void* beta, Dense* y, int compute_type, int, void*) {
  return do_product("cusparseSpMV", handle, op, 0, alpha, a, x, beta, y, compute_type);
}
int cusparseSpMM_bufferSize(Handle*, int, int, const void*, const Sparse*, const Dense*,
                            const void*, Dense*, int, int, size_t* bytes) {
  return no_buffer(bytes);
}
int cusparseSpMM_preprocess(Handle*, int, int, const void*, const Sparse*, const Dense*,
                            const void*, Dense*, int, int, void*) {
  return kSuccess;
}
int cusparseSpMM(Handle* handle, int a_op, int b_op, const void* alpha, const Sparse* a,
                 const Dense* b, const void* beta, Dense* c, int compute_type, int, void*) {
  return do_product("cusparseSpMM", handle, a_op, b_op, alpha, a, b, beta, c, compute_type);
}
}
