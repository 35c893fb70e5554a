// Any bytes: a question or a Diagnostic; what is read writes and reads back unchanged.
#include "warpledger/profile/run/query_json.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto query = profile::query_from_json(Source("input", text));
  if (!query) return static_cast<void>(to_text(query.error())), 0;
  const std::string written = profile::to_json(*query);
  const auto again = profile::query_from_json(Source("again", written));
  WL_CHECK(again && profile::to_json(*again) == written);
  return 0;
}
