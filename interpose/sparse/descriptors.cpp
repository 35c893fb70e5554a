#include "interpose/sparse/descriptors.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::sparse;

namespace {

using warpledger::math::Dense;
using warpledger::math::Index;
using warpledger::math::Sparse;
using warpledger::math::SparseFormat;
using warpledger::math::Type;

constexpr int kVersion = 12603, kMajor = 12, kMinor = 6;
constexpr int kRowsFirst = 2;  // CUSPARSE_ORDER_ROW

/// cusparseMatDescr_t: what the older interface says of a matrix.
struct Description {
  int type = 0, fill = 0, diagonal = 0, base = 0;
};

template <class T>
Status create(T** made, const T& value) {
  if (made == nullptr) return kInvalidValue;
  return *made = new T(value), kSuccess;
}
template <class T>
Status destroy(const T* one) {
  return delete one, kSuccess;
}

Status create_sparse(Sparse** made, SparseFormat format, int64_t rows, int64_t columns,
                     int64_t count, void* major, void* minor, void* values, int major_index,
                     int minor_index, int base, int type) {
  if (rows < 0 || columns < 0 || count < 0 || base < 0 || base > 1) return kInvalidValue;
  for (const int index : {major_index, minor_index}) {
    if (index != 2 && index != 3) return kNotSupported;
  }
  return create(made, Sparse{.format = format,
                             .rows = rows,
                             .columns = columns,
                             .count = count,
                             .major = major,
                             .minor = minor,
                             .values = values,
                             .major_index = Index(major_index),
                             .minor_index = Index(minor_index),
                             .base = base,
                             .type = Type(type)});
}

Status create_dense(Dense** made, int64_t rows, int64_t columns, int64_t ld, void* values, int type,
                    int order) {
  const bool rows_first = order == kRowsFirst;
  if (rows < 0 || columns < 0 || ld < (rows_first ? columns : rows)) return kInvalidValue;
  return create(made, Dense{values, rows, columns, ld, rows_first, Type(type)});
}

Status set_values(Dense* dense, void* values) {
  if (dense == nullptr) return kInvalidValue;
  return dense->data = values, kSuccess;
}
Status get_values(const Dense* dense, void** values) {
  if (dense == nullptr || values == nullptr) return kInvalidValue;
  return *values = dense->data, kSuccess;
}

const char* name_of(int status) {
  switch (status) {
    case kSuccess:
      return "CUSPARSE_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case kInvalidValue:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case kExecutionFailed:
      return "CUSPARSE_STATUS_EXECUTION_FAILED";
    case kNotSupported:
      return "CUSPARSE_STATUS_NOT_SUPPORTED";
    default:
      return "unknown cusparseStatus_t";
  }
}

}  // namespace

extern "C" {

int cusparseCreate(Handle** made) { return create(made, Handle{}); }
int cusparseDestroy(Handle* handle) { return destroy(handle); }
int cusparseGetVersion(Handle*, int* version) {
  if (version == nullptr) return kInvalidValue;
  return *version = kVersion, kSuccess;
}
int cusparseGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return kInvalidValue;
  return *value = property == 0 ? kMajor : property == 1 ? kMinor : 0, kSuccess;
}
const char* cusparseGetErrorName(int status) { return name_of(status); }
const char* cusparseGetErrorString(int status) { return name_of(status); }
int cusparseSetStream(Handle* handle, void* stream) {
  if (handle == nullptr) return kNotInitialized;
  return handle->stream = stream, kSuccess;
}
int cusparseGetStream(Handle* handle, void** stream) {
  if (handle == nullptr) return kNotInitialized;
  if (stream == nullptr) return kInvalidValue;
  return *stream = handle->stream, kSuccess;
}
int cusparseSetPointerMode(Handle* handle, int mode) {
  if (handle == nullptr) return kNotInitialized;
  return handle->pointer_mode = mode, kSuccess;
}
int cusparseGetPointerMode(Handle* handle, int* mode) {
  if (handle == nullptr) return kNotInitialized;
  if (mode == nullptr) return kInvalidValue;
  return *mode = handle->pointer_mode, kSuccess;
}

int cusparseCreateMatDescr(Description** made) { return create(made, Description{}); }
int cusparseDestroyMatDescr(Description* one) { return destroy(one); }
int cusparseSetMatType(Description* one, int type) { return one->type = type, kSuccess; }
int cusparseGetMatType(const Description* one) { return one->type; }
int cusparseSetMatIndexBase(Description* one, int base) { return one->base = base, kSuccess; }
int cusparseGetMatIndexBase(const Description* one) { return one->base; }
int cusparseSetMatFillMode(Description* one, int fill) { return one->fill = fill, kSuccess; }
int cusparseGetMatFillMode(const Description* one) { return one->fill; }
int cusparseSetMatDiagType(Description* one, int kind) { return one->diagonal = kind, kSuccess; }
int cusparseGetMatDiagType(const Description* one) { return one->diagonal; }

int cusparseCreateCsr(Sparse** made, int64_t rows, int64_t columns, int64_t count, void* offsets,
                      void* numbers, void* values, int offset_index, int number_index, int base,
                      int type) {
  return create_sparse(made, SparseFormat::kRows, rows, columns, count, offsets, numbers, values,
                       offset_index, number_index, base, type);
}
int cusparseCreateConstCsr(Sparse** made, int64_t rows, int64_t columns, int64_t count,
                           const void* offsets, const void* numbers, const void* values,
                           int offset_index, int number_index, int base, int type) {
  return cusparseCreateCsr(made, rows, columns, count, const_cast<void*>(offsets),
                           const_cast<void*>(numbers), const_cast<void*>(values), offset_index,
                           number_index, base, type);
}
int cusparseCreateCsc(Sparse** made, int64_t rows, int64_t columns, int64_t count, void* offsets,
                      void* numbers, void* values, int offset_index, int number_index, int base,
                      int type) {
  return create_sparse(made, SparseFormat::kColumns, rows, columns, count, offsets, numbers, values,
                       offset_index, number_index, base, type);
}
int cusparseCreateCoo(Sparse** made, int64_t rows, int64_t columns, int64_t count, void* row,
                      void* column, void* values, int index, int base, int type) {
  return create_sparse(made, SparseFormat::kCoordinates, rows, columns, count, row, column, values,
                       index, index, base, type);
}
int cusparseDestroySpMat(const Sparse* one) { return destroy(one); }
int cusparseCsrSetPointers(Sparse* one, void* offsets, void* numbers, void* values) {
  if (one == nullptr) return kInvalidValue;
  one->major = offsets;
  one->minor = numbers;
  return one->values = values, kSuccess;
}
int cusparseSpMatGetSize(const Sparse* one, int64_t* rows, int64_t* columns, int64_t* count) {
  if (!one || !rows || !columns || !count) return kInvalidValue;
  *rows = one->rows;
  *columns = one->columns;
  return *count = one->count, kSuccess;
}
int cusparseSpMatGetValues(Sparse* one, void** values) {
  if (one == nullptr || values == nullptr) return kInvalidValue;
  return *values = one->values, kSuccess;
}
int cusparseSpMatSetValues(Sparse* one, void* values) {
  if (one == nullptr) return kInvalidValue;
  return one->values = values, kSuccess;
}

int cusparseCreateDnVec(Dense** made, int64_t size, void* values, int type) {
  return create_dense(made, size, 1, size, values, type, 1);
}
int cusparseCreateConstDnVec(Dense** made, int64_t size, const void* values, int type) {
  return cusparseCreateDnVec(made, size, const_cast<void*>(values), type);
}
int cusparseDestroyDnVec(const Dense* one) { return destroy(one); }
int cusparseDnVecSetValues(Dense* one, void* values) { return set_values(one, values); }
int cusparseDnVecGetValues(Dense* one, void** values) { return get_values(one, values); }
int cusparseCreateDnMat(Dense** made, int64_t rows, int64_t columns, int64_t ld, void* values,
                        int type, int order) {
  return create_dense(made, rows, columns, ld, values, type, order);
}
int cusparseCreateConstDnMat(Dense** made, int64_t rows, int64_t columns, int64_t ld,
                             const void* values, int type, int order) {
  return create_dense(made, rows, columns, ld, const_cast<void*>(values), type, order);
}
int cusparseDestroyDnMat(const Dense* one) { return destroy(one); }
int cusparseDnMatSetValues(Dense* one, void* values) { return set_values(one, values); }
int cusparseDnMatGetValues(Dense* one, void** values) { return get_values(one, values); }

int wl_sparse_not_here(const char* name) {
  refuse_library_call(name);
  return kNotSupported;
}
}
