// Any bytes: settings or a Diagnostic; what is read writes and reads back unchanged.
#include "interpose/settings_file.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto settings = cuda::settings_from_json(Source("input", text));
  if (!settings) return static_cast<void>(to_text(settings.error())), 0;
  const std::string written = cuda::to_json(*settings);
  const auto again = cuda::settings_from_json(Source("again", written));
  WL_CHECK(again && cuda::to_json(*again) == written);
  return 0;
}
