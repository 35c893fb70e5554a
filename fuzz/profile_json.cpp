// Any bytes: a report's profiles or a Diagnostic; what is read writes and reads back unchanged.
#include <cstdint>
#include <string>

#include "warpledger/profile/file/report_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto profiles = profile::read_report(Source("input", text));
  if (!profiles) return static_cast<void>(to_text(profiles.error())), 0;
  const std::string written = profile::to_report(*profiles);
  const auto again = profile::read_report(Source("again", written));
  WL_CHECK(again && profile::to_report(*again) == written);
  return 0;
}
