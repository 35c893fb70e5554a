// OpenBLAS, loaded when it is first needed and into a scope of its own: a program may bring another
// BLAS. Its Fortran names: the same arguments for every type, all by pointer.
#pragma once

#include "interpose/math/number.h"

namespace warpledger::math {

/// Whether the library is there; loads it.
[[nodiscard]] bool has_openblas();

/// The function sgemm_, dgemm_, ... of a letter and a name. Pre: has_openblas().
[[nodiscard]] void* openblas_function(char letter, const char* name);

template <class T>
constexpr char kLetter = std::is_same_v<T, float>     ? 's'
                         : std::is_same_v<T, double>  ? 'd'
                         : std::is_same_v<T, Complex> ? 'c'
                                                      : 'z';

/// call_openblas<float>("gemm", "N", "T", &m, ...).
template <class T, class... Arguments>
void call_openblas(const char* name, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(openblas_function(kLetter<T>, name))(arguments...);
}

}  // namespace warpledger::math
