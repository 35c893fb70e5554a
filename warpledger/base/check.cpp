#include "warpledger/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace warpledger {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr,
               "%s:%d: broken invariant: %s\nThis is a bug in warpledger; please report it.\n",
               file, line, expression);
  std::abort();
}

}  // namespace warpledger
