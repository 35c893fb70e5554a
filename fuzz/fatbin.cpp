// Bytes as a fatbin: read, unpacked, linked with themselves.
#include "interpose/fatbin.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "interpose/link.h"
#include "interpose/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger::cuda;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)inspect_program(bytes);
  const auto entries = read_fatbin(bytes);
  if (!entries) return 0;
  for (const FatbinEntry& entry : *entries) {
    if (entry.unpacked_bytes > (1u << 20)) continue;
    const auto text = unpack(entry);
    if (text) (void)link_ptx({*text, *text}).ok();
  }
  return 0;
}
