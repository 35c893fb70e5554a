// What files with AVX-512 code begin with, on x86-64 alone. Callers ask the processor first.
#pragma once

#include <immintrin.h>

// GCC 12 takes the header's own "undefined" vectors for ours (bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define WL_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c")))
#define WL_INLINE __attribute__((always_inline)) inline
