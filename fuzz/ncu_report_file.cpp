// Any bytes: launches or a Diagnostic. Most inputs get the magic, without which nothing is read.
#include <cstdint>
#include <string>

#include "warpledger/ncu/report_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!ncu::is_report_file(bytes)) bytes.insert(0, "NVR\0", 4);
  const auto launches = ncu::read_report_file("input", bytes);
  if (!launches) return static_cast<void>(to_text(launches.error())), 0;
  for (const ncu::Launch& launch : *launches) static_cast<void>(ncu::ledger_of(launch));
  return 0;
}
