// Any bytes: an expression or a Diagnostic; an expression reads back from both of its texts.
#include "warpledger/algebra/expression.h"

#include <cstdint>
#include <string>

#include "warpledger/algebra/sizes.h"

namespace {

using namespace warpledger;

// What a text may ask for is bounded; the simplified text of something near the bounds may lie
// beyond them, which is said and not wrong.
void check_reads_back(const Expression& e, const std::string& text) {
  const Result<Expression> again = parse_expression(text);
  if (!again && again.error().code == "expression-too-large") return;
  WL_CHECK(again && *again == e);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(parse_sizes(Source("input", text)));
  const Result<Expression> e = parse_expression(text);
  if (!e) return static_cast<void>(to_text(e.error())), 0;
  check_reads_back(*e, e->to_text());
  check_reads_back(*e, e->expanded_text());
  return 0;
}
