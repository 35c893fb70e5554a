#include "interpose/blas_lt/descriptors.h"

#include <fmt/core.h>

#include <cstring>
#include <new>

using namespace warpledger::cuda;
using namespace warpledger::cuda::blas;
using namespace warpledger::cuda::blas_lt;

namespace {

/// The room of an attribute.
struct Field {
  void* at = nullptr;  // null: we do not have the attribute
  size_t bytes = 0;
};
template <class T>
Field field(T& value) {
  return {&value, sizeof value};
}

// By the numbers of cublasLtMatrixLayoutAttribute_t.
Field field_of(Layout& layout, int attribute) {
  switch (attribute) {
    case 0:
      return field(layout.type);
    case 1:
      return field(layout.order);
    case 2:
      return field(layout.rows);
    case 3:
      return field(layout.columns);
    case 4:
      return field(layout.ld);
    case 5:
      return field(layout.batch);
    case 6:
      return field(layout.stride);
    default:
      return {};
  }
}

// cublasLtMatmulDescAttributes_t.
Field field_of(MatmulDesc& desc, int attribute) {
  switch (attribute) {
    case 0:
      return field(desc.compute_type);
    case 1:
      return field(desc.scale_type);
    case 2:
      return field(desc.pointer_mode);
    case 3:
      return field(desc.a_op);
    case 4:
      return field(desc.b_op);
    case 5:
      return field(desc.c_op);
    case 6:
      return field(desc.fill);
    case 7:
      return field(desc.epilogue);
    case 8:
      return field(desc.bias);
    case 10:
      return field(desc.bias_stride);
    case 11:
      return field(desc.aux);
    case 12:
      return field(desc.aux_ld);
    case 13:
      return field(desc.aux_stride);
    case 15:
      return field(desc.sm_count_target);
    case 22:
      return field(desc.aux_type);
    case 25:
      return field(desc.fast_accumulation);
    case 26:
      return field(desc.bias_type);
    default:
      return {};
  }
}

// cublasLtMatmulPreferenceAttributes_t.
Field field_of(Preference& preference, int attribute) {
  switch (attribute) {
    case 0:
      return field(preference.search_mode);
    case 1:
      return field(preference.workspace_bytes);
    case 3:
      return field(preference.reductions);
    case 5:
    case 6:
    case 7:
    case 8:
      return field(preference.alignments[attribute - 5]);
    case 9:
      return field(preference.waves);
    case 12:
      return field(preference.implementations);
    default:
      return {};
  }
}

Status missing(const char* name, int attribute) {
  refuse_library_call(fmt::format("{} of attribute {}", name, attribute).c_str());
  return kNotSupported;
}

template <class T>
Status set(const char* name, T* object, int attribute, const void* from, size_t bytes) {
  if (object == nullptr || from == nullptr) return kInvalidValue;
  const Field to = field_of(*object, attribute);
  if (to.at == nullptr) return missing(name, attribute);
  if (bytes != to.bytes) return kInvalidValue;
  return std::memcpy(to.at, from, bytes), kSuccess;
}

template <class T>
Status get(const char* name, T* object, int attribute, void* to, size_t bytes, size_t* written) {
  if (object == nullptr) return kInvalidValue;
  const Field from = field_of(*object, attribute);
  if (from.at == nullptr) return missing(name, attribute);
  if (written != nullptr) *written = from.bytes;
  if (bytes == 0) return kSuccess;
  if (to == nullptr || bytes != from.bytes) return kInvalidValue;
  return std::memcpy(to, from.at, bytes), kSuccess;
}

template <class T>
Status create(T** made, const T& value) {
  if (made == nullptr) return kInvalidValue;
  return *made = new T(value), kSuccess;
}

template <class T>
Status init(void* room, size_t bytes, const T& value) {
  if (room == nullptr || bytes < sizeof(T)) return kInvalidValue;
  return new (room) T(value), kSuccess;
}

Layout layout_of(int type, uint64_t rows, uint64_t columns, int64_t ld) {
  return {.type = type, .rows = rows, .columns = columns, .ld = ld};
}

}  // namespace

extern "C" {

int cublasLtMatrixLayoutCreate(Layout** made, int type, uint64_t rows, uint64_t columns,
                               int64_t ld) {
  return create(made, layout_of(type, rows, columns, ld));
}
int cublasLtMatrixLayoutInit_internal(void* room, size_t bytes, int type, uint64_t rows,
                                      uint64_t columns, int64_t ld) {
  return init(room, bytes, layout_of(type, rows, columns, ld));
}
int cublasLtMatrixLayoutDestroy(Layout* layout) { return delete layout, kSuccess; }
int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* from,
                                     size_t bytes) {
  return set("cublasLtMatrixLayoutSetAttribute", layout, attribute, from, bytes);
}
int cublasLtMatrixLayoutGetAttribute(Layout* layout, int attribute, void* to, size_t bytes,
                                     size_t* written) {
  return get("cublasLtMatrixLayoutGetAttribute", layout, attribute, to, bytes, written);
}

int cublasLtMatmulDescCreate(MatmulDesc** made, int compute_type, int scale_type) {
  return create(made, MatmulDesc{.compute_type = compute_type, .scale_type = scale_type});
}
int cublasLtMatmulDescInit_internal(void* room, size_t bytes, int compute_type, int scale_type) {
  return init(room, bytes, MatmulDesc{.compute_type = compute_type, .scale_type = scale_type});
}
int cublasLtMatmulDescDestroy(MatmulDesc* desc) { return delete desc, kSuccess; }
int cublasLtMatmulDescSetAttribute(MatmulDesc* desc, int attribute, const void* from,
                                   size_t bytes) {
  return set("cublasLtMatmulDescSetAttribute", desc, attribute, from, bytes);
}
int cublasLtMatmulDescGetAttribute(MatmulDesc* desc, int attribute, void* to, size_t bytes,
                                   size_t* written) {
  return get("cublasLtMatmulDescGetAttribute", desc, attribute, to, bytes, written);
}

int cublasLtMatmulPreferenceCreate(Preference** made) { return create(made, Preference{}); }
int cublasLtMatmulPreferenceInit_internal(void* room, size_t bytes) {
  return init(room, bytes, Preference{});
}
int cublasLtMatmulPreferenceDestroy(Preference* preference) { return delete preference, kSuccess; }
int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute, const void* from,
                                         size_t bytes) {
  return set("cublasLtMatmulPreferenceSetAttribute", preference, attribute, from, bytes);
}
int cublasLtMatmulPreferenceGetAttribute(Preference* preference, int attribute, void* to,
                                         size_t bytes, size_t* written) {
  return get("cublasLtMatmulPreferenceGetAttribute", preference, attribute, to, bytes, written);
}
}
