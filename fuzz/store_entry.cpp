// Any bytes: an entry of a remote store, or nothing; what is believed is what pack_entry() writes.
#include <cstdint>
#include <string>

#include "warpledger/base/check.h"
#include "warpledger/store/remote/entry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger::store;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* secret : {"", "secret"}) {
    const auto value = unpack_entry("0a1b", bytes, secret);
    if (value) WL_CHECK(pack_entry("0a1b", *value, secret) == bytes);
    WL_CHECK(unpack_entry("0a1b", pack_entry("0a1b", bytes, secret), secret) == bytes);
  }
  return 0;
}
