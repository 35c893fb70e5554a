// Any bytes as what a cell answers: it may have been taken over. An attempt or a Diagnostic; what
// is read can be written.
#include <cstdint>
#include <string>

#include "warpledger/profile/run/attempt.h"
#include "warpledger/profile/run/run_statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  profile::RunStatistics statistics;
  const auto made = profile::unpack(text, &statistics);
  if (!made) static_cast<void>(to_text(made.error()));
  static_cast<void>(profile::pack(made, &statistics));
  return 0;
}
