// Any text is either refused with a diagnostic or printed to a text that prints to itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "warpledger/base/check.h"
#include "warpledger/tile/check.h"
#include "warpledger/tile/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<tile::Program> program = tile::parse("fuzz.tile", text);
  if (!program) {
    WL_CHECK(!to_text(program.error()).empty());
    return 0;
  }
  const std::string once = tile::to_text(*program);
  const Result<tile::Program> again = tile::parse("again.tile", once);
  WL_CHECK(again.ok());
  WL_CHECK(tile::to_text(*again) == once);
  // Checking must end, whatever it finds, and must find the same in the printed program.
  WL_CHECK(tile::check(*program).ok() == tile::check(*again).ok());
  return 0;
}
