// Any text: a description or a Diagnostic; a described GPU's file reads back.
#include <cstdint>
#include <string>

#include "warpledger/base/check.h"
#include "warpledger/gpu/own_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto device = parse_device_query(Source("input", text));
  if (!device) return static_cast<void>(to_text(device.error())), 0;
  const auto own = own_gpu(*device, "rtx3090");
  if (!own) return static_cast<void>(to_text(own.error())), 0;
  WL_CHECK(parse_gpu("own.toml", toml_of(own->gpu)).ok());
  return 0;
}
