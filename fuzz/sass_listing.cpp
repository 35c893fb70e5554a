// Any bytes: functions of instructions or a Diagnostic; the lane machine runs or says what it
// cannot.
#include <cstdint>
#include <string>

#include "warpledger/layout/derive/lane_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto functions = sass::read_listing(text);
  if (!functions) return 0;
  for (const sass::Function& function : *functions) {
    static_cast<void>(derive::run_tracer(function, 0x160).ok());
  }
  return 0;
}
