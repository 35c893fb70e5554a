// The processor rounds floating point toward zero while one of these lives. What shall round that
// way stands in a function that is not inlined: compilers take rounding to be to nearest, and move
// arithmetic.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace warpledger::numeric {

class TowardZero {
 public:
  TowardZero() : before_(get()) { set(before_ | kTowardZero); }
  ~TowardZero() { set(before_); }
  TowardZero(const TowardZero&) = delete;
  TowardZero& operator=(const TowardZero&) = delete;

 private:
  // Bits 13 and 14 of MXCSR, 22 and 23 of FPCR: both set. <cfenv> would set the x87's, too.
#if defined(__x86_64__)
  static constexpr uint32_t kTowardZero = 3u << 13;
  using Word = uint32_t;
  static Word get() { return _mm_getcsr(); }
  static void set(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
  static constexpr uint64_t kTowardZero = uint64_t{3} << 22;
  using Word = uint64_t;
  static Word get() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word) : : "memory");
    return word;
  }
  static void set(Word word) { asm volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
#else
  static constexpr int kTowardZero = FE_TOWARDZERO;
  using Word = int;
  static Word get() { return std::fegetround(); }
  static void set(Word word) {
    std::fesetround((word & FE_TOWARDZERO) != 0 ? FE_TOWARDZERO : word);
  }
#endif

  Word before_;
};

}  // namespace warpledger::numeric
