// interpose/math/: what the math libraries compute, on plain pointers: BLAS, random numbers,
// Fourier transforms. It knows numbers and OpenBLAS; it must not know CUDA, streams or the device.
// This file: the types of elements.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace warpledger::math {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;
#if defined(__aarch64__)
using Half = __fp16;  // gcc 12 knows _Float16 in C++ on x86 alone; this one is a half in memory too
#else
using Half = _Float16;
#endif

/// The upper half of a float.
struct Bfloat {
  uint16_t bits = 0;
  Bfloat() = default;
  /// To nearest, ties to even; a NaN stays one.
  explicit Bfloat(float value) {
    const auto all = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = all + 0x7fff + ((all >> 16) & 1);
    bits = static_cast<uint16_t>((std::isnan(value) ? all | 0x400000 : rounded) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

/// The numbers of cudaDataType.
enum class Type : int {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kR8I = 3,
  kC32F = 4,
  kC64F = 5,
  kR32I = 10,
  kR16BF = 14,
};

/// visit(T{}) with the type's own T; false where it is none of ours.
template <class Visit>
bool with_type(Type type, Visit visit) {
  switch (type) {
    case Type::kR32F:
      return visit(float{}), true;
    case Type::kR64F:
      return visit(double{}), true;
    case Type::kR16F:
      return visit(Half{}), true;
    case Type::kR8I:
      return visit(int8_t{}), true;
    case Type::kC32F:
      return visit(Complex{}), true;
    case Type::kC64F:
      return visit(DoubleComplex{}), true;
    case Type::kR32I:
      return visit(int32_t{}), true;
    case Type::kR16BF:
      return visit(Bfloat{}), true;
  }
  return false;
}

/// 0: none of ours.
[[nodiscard]] inline int64_t size_of(Type type) {
  int64_t bytes = 0;
  with_type(type, [&](auto one) { bytes = sizeof one; });
  return bytes;
}

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>;

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

/// Rounded once. Integers wrap as a register does; of a complex number a real type takes the real
/// part.
template <class To, class From>
[[nodiscard]] To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(static_cast<Real<To>>(value.real()), static_cast<Real<To>>(value.imag()));
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(value.real());
  } else if constexpr (kIsComplex<To>) {
    return To(convert<Real<To>>(value));
  } else if constexpr (std::is_same_v<From, Bfloat>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Bfloat>) {
    return Bfloat(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    return static_cast<To>(std::llrint(static_cast<double>(value)));
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
[[nodiscard]] T conjugate(T value) {
  if constexpr (kIsComplex<T>) return std::conj(value);
  return value;
}

}  // namespace warpledger::math
