// Any bytes: a layout or a Diagnostic; what is read as linear prints and reads back the same.
#include <cstdint>
#include <string>

#include "warpledger/layout/layout.h"
#include "warpledger/layout/notation/notation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const notation::Reading reading{.from = Space({{"register", 8}, {"lane", 32}}),
                                  .modes = {"lane", "register"}};
  const auto layout = notation::read(Source("input", text), reading);
  if (!layout) return static_cast<void>(to_text(layout.error())), 0;
  if (layout->from().size() > 1 << 12) return 0;
  const Fit found = fit(*layout);
  if (!found.map) return 0;
  const auto again = notation::read(Source("again", notation::print_bases(*found.map)), reading);
  WL_CHECK(again && *again->linear() == *found.map);
  return 0;
}
