// Freed memory goes back to the system in its pages, which are larger on some machines (arm64: up
// to 64 KB).
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/law.h"
#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::exec {
namespace {

struct Filled {
  uint64_t address = 0, bytes = 0;
  char letter = 0;
};

Filled filled(DeviceMemory& memory, testing::Rng& rng, char letter) {
  const auto bytes = static_cast<uint64_t>(rng.between(1, 1000 * rng.size()));
  const uint64_t address = *memory.allocate(bytes, "", rng.coin() ? 4096 : 256);
  std::memset(memory.find(address, bytes), letter, bytes);
  return {address, bytes, letter};
}

LAW(FreedMemory, LeavesTheBytesOfItsNeighbors) {
  DeviceMemory memory(uint64_t{1} << 24);
  std::vector<Filled> kept, freed;
  for (char letter = 'a'; letter <= 'z'; ++letter)
    (rng.coin() ? kept : freed).push_back(filled(memory, rng, letter));
  for (const Filled& one : freed) ASSERT_TRUE(memory.free(one.address).ok());
  for (const Filled& one : kept) {
    const auto* text = reinterpret_cast<const char*>(memory.find(one.address, one.bytes));
    EXPECT_EQ(std::string_view(text, one.bytes), std::string(one.bytes, one.letter));
  }
}

}  // namespace
}  // namespace warpledger::exec
