// Any bytes: a report file of ncu or a Diagnostic; what is read is written and read again the same.
#include <cstdint>
#include <string>

#include "warpledger/ncu/rep_launches.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = ncu::read_rep_file("input", bytes);
  if (!file) return static_cast<void>(to_text(file.error())), 0;
  static_cast<void>(ncu::launches_of(*file));
  const std::string written = ncu::to_bytes(*file);
  const auto again = ncu::read_rep_file("written", written);
  WL_CHECK(again.ok() && ncu::to_bytes(*again) == written);
  return 0;
}
