// printf with many kinds of arguments, assert, trap.
#include <cassert>
#include <cstdio>

extern "C" __global__ void messages(const double* d, const char* name, int n) {
  printf("%d of %s: %f %g %c %llx %p\n", n, name, d[0], d[1], 'x', static_cast<long long>(n) << 40,
         d);
  assert(n > 3 && "too few");
  if (n > 1000) __trap();
  if (n > 500) __brkpt();
}
