// CUDA from what was found and checked: one device function each, without includes beyond cuda's
// own.
#pragma once

#include <string>

#include "warpledger/layout/convert/routes.h"
#include "warpledger/layout/reduce.h"

namespace warpledger {

enum class ReduceOperation { kMax, kMin, kSum };
[[nodiscard]] std::string_view to_text(ReduceOperation operation);

/// void NAME(const unsigned (&x)[inputs], unsigned (&y)[outputs][, void* shared])
[[nodiscard]] std::string emit_conversion(const convert::Route& route, const Fragment& from,
                                          const Fragment& to, std::string_view name);

/// void NAME(const T (&x)[elements], T (&y)[outputs]); T is float, int or double by the element
/// type.
[[nodiscard]] std::string emit_reduction(const Reduction& reduction, const Fragment& fragment,
                                         ReduceOperation operation, std::string_view name);

/// template <class T> void NAME(const T (&x)[elements], T* out, int stride): every element to its
/// place in a row-major matrix.
[[nodiscard]] std::string emit_store(const Fragment& fragment, std::string_view name);

}  // namespace warpledger
