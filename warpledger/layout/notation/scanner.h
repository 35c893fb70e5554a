// The reader under the three notations: a cursor over a Source that skips blanks and makes
// diagnostics with a caret.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/base/source.h"

namespace warpledger::notation {

/// Output dimensions of one layout, in every notation: what one of them reads another can print.
inline constexpr size_t kMaxOutputs = 16;

class Scanner {
 public:
  explicit Scanner(const Source& source) : source_(source) {}

  [[nodiscard]] bool at_end();
  /// The next character after blanks, '\0' at the end.
  [[nodiscard]] char peek();
  /// Takes `word` when it is next.
  bool take(std::string_view word);
  [[nodiscard]] Status expect(std::string_view word);
  /// Decimal or 0x; a leading underscore as in CuTe's static integers (_8) is allowed.
  [[nodiscard]] Result<int64_t> number();
  /// A letter followed by letters, digits and underscores; "" when none is next.
  [[nodiscard]] std::string name();
  [[nodiscard]] uint32_t position() const { return at_; }
  [[nodiscard]] Diagnostic error(std::string message, std::string hint = {}) const;
  [[nodiscard]] Diagnostic error_at(Span span, std::string message, std::string hint = {}) const;

 private:
  void skip_blanks();

  const Source& source_;
  uint32_t at_ = 0;
};

[[nodiscard]] Status check_outputs(const Scanner& scan, size_t outputs);

}  // namespace warpledger::notation
