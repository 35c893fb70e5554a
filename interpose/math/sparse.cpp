#include "interpose/math/sparse.h"

#include "interpose/math/element.h"

namespace warpledger::math {
namespace {

int64_t index(const void* data, Index kind, int64_t i) {
  return kind == Index::k64 ? static_cast<const int64_t*>(data)[i]
                            : static_cast<const int32_t*>(data)[i];
}

/// visit(row, column, value) until it is false; whether it never was.
template <class S, class Visit>
bool for_each(const Sparse& a, Visit visit) {
  const auto visit_at = [&](int64_t major, int64_t at) {
    const int64_t minor = index(a.minor, a.minor_index, at) - a.base;
    const bool turned = a.format == SparseFormat::kColumns;
    return visit(turned ? minor : major, turned ? major : minor, load<S>(a.values, a.type, at));
  };
  if (a.format == SparseFormat::kCoordinates) {
    for (int64_t at = 0; at < a.count; ++at) {
      if (!visit_at(index(a.major, a.major_index, at) - a.base, at)) return false;
    }
    return true;
  }
  for (int64_t major = 0; major + 1 < a.major_count(); ++major) {
    const int64_t begin = index(a.major, a.major_index, major) - a.base;
    const int64_t end = index(a.major, a.major_index, major + 1) - a.base;
    if (begin < 0 || end > a.count) return false;
    for (int64_t at = begin; at < end; ++at) {
      if (!visit_at(major, at)) return false;
    }
  }
  return true;
}

template <class S>
S element(const Dense& x, Op op, int64_t i, int64_t j) {
  const bool turned = op != Op::kNone;
  const S value = load<S>(x.data, x.type, x.place(turned ? j : i, turned ? i : j));
  return op == Op::kAdjoint ? conjugate(value) : value;
}

/// Sums are of type S.
template <class S>
bool multiply_as(const Sparse& a, Op a_op, const Dense& x, Op x_op, S alpha, S beta,
                 const Dense& y) {
  std::vector<S> sums(static_cast<size_t>(y.rows * y.columns));
  const bool turned = a_op != Op::kNone;
  const bool inside = for_each<S>(a, [&](int64_t row, int64_t column, S value) {
    if (row < 0 || row >= a.rows || column < 0 || column >= a.columns) return false;
    if (a_op == Op::kAdjoint) value = conjugate(value);
    const int64_t to = turned ? column : row, from = turned ? row : column;
    for (int64_t j = 0; j < y.columns; ++j)
      sums[static_cast<size_t>(to * y.columns + j)] += value * element<S>(x, x_op, from, j);
    return true;
  });
  if (!inside) return false;
  for (int64_t i = 0; i < y.rows; ++i) {
    for (int64_t j = 0; j < y.columns; ++j) {
      S value = alpha * sums[static_cast<size_t>(i * y.columns + j)];
      if (beta != S(0)) value += beta * load<S>(y.data, y.type, y.place(i, j));
      store(y.data, y.type, y.place(i, j), value);
    }
  }
  return true;
}

}  // namespace

int64_t Sparse::major_count() const {
  switch (format) {
    case SparseFormat::kRows:
      return rows + 1;
    case SparseFormat::kColumns:
      return columns + 1;
    case SparseFormat::kCoordinates:
      return count;
  }
  return 0;
}

bool multiply(const Sparse& a, Op a_op, const Dense& x, Op x_op, DoubleComplex alpha,
              DoubleComplex beta, const Dense& y) {
  const bool complex = y.type == Type::kC32F || y.type == Type::kC64F;
  if (complex) return multiply_as<DoubleComplex>(a, a_op, x, x_op, alpha, beta, y);
  return multiply_as<double>(a, a_op, x, x_op, alpha.real(), beta.real(), y);
}

}  // namespace warpledger::math
