// Any bytes: launches or a Diagnostic; what is read can be made a ledger.
#include <cstdint>
#include <string>

#include "warpledger/ncu/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto launches = ncu::read_report(Source("input", text));
  if (!launches) return static_cast<void>(to_text(launches.error())), 0;
  for (const ncu::Launch& launch : *launches) static_cast<void>(ncu::ledger_of(launch));
  return 0;
}
