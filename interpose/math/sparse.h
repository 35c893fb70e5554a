// Sparse matrices times dense ones: Y = alpha op(A) op(X) + beta Y. Summed in double.
#pragma once

#include "interpose/math/gemm.h"

namespace warpledger::math {

enum class SparseFormat { kRows, kColumns, kCoordinates };  // CSR, CSC, COO

/// The numbers of cusparseIndexType_t.
enum class Index : int { k32 = 2, k64 = 3 };

struct Sparse {
  SparseFormat format = SparseFormat::kRows;
  int64_t rows = 0, columns = 0, count = 0;
  void* major = nullptr;  // offsets of rows (columns in CSC), or row numbers in COO
  void* minor = nullptr;  // column (row) numbers
  void* values = nullptr;
  Index major_index = Index::k32, minor_index = Index::k32;
  int64_t base = 0;  // what indices count from
  Type type = Type::kR32F;
  /// Entries of `major`.
  [[nodiscard]] int64_t major_count() const;
};

/// A vector is a matrix of one column.
struct Dense {
  void* data = nullptr;
  int64_t rows = 0, columns = 1, ld = 0;
  bool rows_first = false;
  Type type = Type::kR32F;
  [[nodiscard]] int64_t place(int64_t i, int64_t j) const {
    return rows_first ? i * ld + j : j * ld + i;
  }
};

/// Y is not read where beta is 0. Pre: shapes match. False, and nothing done, where an index of A
/// lies outside of it.
[[nodiscard]] bool multiply(const Sparse& a, Op a_op, const Dense& x, Op x_op, DoubleComplex alpha,
                            DoubleComplex beta, const Dense& y);

}  // namespace warpledger::math
