// The reader under the three notations: what they have beyond base/scanner.h.
#pragma once

#include <cstddef>
#include <string>

#include "warpledger/base/scanner.h"

namespace warpledger::notation {

/// Output dimensions of one layout, in every notation: what one of them reads another can print.
inline constexpr size_t kMaxOutputs = 16;

class Scanner : public warpledger::Scanner {
 public:
  explicit Scanner(const Source& source)
      : warpledger::Scanner(source, {.blanks = " \t\n\v\f\r", .code = "bad-layout"}) {}

  /// Decimal or 0x; a leading underscore as in CuTe's static integers (_8) is allowed.
  [[nodiscard]] Result<int64_t> number();
  /// A letter followed by letters, digits and underscores; "" when none is next.
  [[nodiscard]] std::string name();
};

[[nodiscard]] Status check_outputs(const Scanner& scan, size_t outputs);

}  // namespace warpledger::notation
