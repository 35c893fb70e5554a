// Any bytes: a dump of registers or a Diagnostic.
#include <cstdint>
#include <string>

#include "warpledger/layout/derive/derive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto layout = derive::read_dump(Source("input", text));
  if (!layout) return static_cast<void>(to_text(layout.error())), 0;
  const Fit found = fit(*layout);
  WL_CHECK(found.map.has_value() != found.witness.has_value());
  return 0;
}
