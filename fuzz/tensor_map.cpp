// Any 128 bytes as a tensor map, which kernels write themselves, and a corner: refused, or a box
// whose pieces are as many bytes as it says, each in shared memory or found outside of it.
#include "warpledger/exec/decode/tensor_map.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "warpledger/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  using namespace warpledger::exec;
  constexpr uint64_t kShared = 228 << 10;
  if (size < kTensorMapBytes + kMostDimensions * sizeof(int32_t)) return 0;
  const auto map = decode_tensor_map(std::as_bytes(std::span(data, kTensorMapBytes)));
  if (!map || !check(*map) || map->last_row() >= kShared) return 0;
  WL_CHECK(*decode_tensor_map(*encode(*map)) == *map);
  std::array<int32_t, kMostDimensions> corner;
  std::memcpy(corner.data(), data + kTensorMapBytes, sizeof corner);
  const Box box = box_of(*map, std::span(corner).first(map->rank), 0);
  uint64_t bytes = 0, inside = 0, runs = 0;
  for (const BoxPiece& piece : box.pieces) {
    bytes += piece.bytes;
    if (piece.inside) inside += piece.bytes;
  }
  for (const BoxRun& run : box.runs) runs += run.bytes;
  WL_CHECK(bytes <= map->box_bytes() && bytes <= kShared + 4096 && runs == inside);
  return 0;
}
