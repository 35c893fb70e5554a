// WL_CHECK: an invariant of our own code, always on. A failure is a bug of ours, never the user's:
// it names the expression and the place, and aborts. Bad input is a Diagnostic instead (result.h).
#pragma once

namespace warpledger {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace warpledger

#define WL_CHECK(expression)           \
  ((expression) ? static_cast<void>(0) \
                : ::warpledger::check_failed(#expression, __FILE__, __LINE__))
