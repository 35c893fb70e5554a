// Sets of bytes of a block's shared memory. Most intervals between barriers have no race, and that
// is seen by a few words of bits for each warp access, because accesses share their shapes: what a
// shape touches is found once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "warpledger/trace/shape.h"

namespace warpledger::race {

/// The bytes that the lanes of a shape touch, relative to a record's address.
struct Footprint {
  int64_t origin = 0;                                    // what word 0 starts at
  std::vector<std::pair<uint32_t, uint64_t>> bits = {};  // word, and a bit for each byte of it
};
[[nodiscard]] Footprint footprint_of(const trace::Shape& shape, uint32_t width);

/// Footprints by shape and width; may be asked from several threads.
class FootprintTable {
 public:
  FootprintTable() = default;
  ~FootprintTable();
  FootprintTable(const FootprintTable&) = delete;
  FootprintTable& operator=(const FootprintTable&) = delete;
  /// Pre: width is a power of two, at most 32.
  [[nodiscard]] const Footprint& find(const trace::ShapeTable& shapes, uint32_t shape,
                                      uint32_t width);

 private:
  static constexpr uint32_t kWidths = 6, kChunk = 256;
  using Chunk = std::array<std::atomic<const Footprint*>, size_t{kChunk} * kWidths>;
  [[nodiscard]] Chunk& chunk_of(uint32_t shape);
  std::array<std::atomic<Chunk*>, trace::kMaxShapes / kChunk> chunks_{};
  std::mutex mutex_;
};

class ByteSet {
 public:
  void resize(uint64_t bytes) {
    words_.assign(bytes / 64 + 2, 0), first_ = words_.size(), end_ = 0;
  }
  void add(const Footprint& footprint, uint64_t address);
  void add(uint64_t address, uint64_t bytes);
  void add(const ByteSet& other);
  void clear();
  [[nodiscard]] bool meets(const ByteSet& other) const;
  [[nodiscard]] bool meets(const Footprint& footprint, uint64_t address) const;
  /// Whether a byte is here and in `all`, and not in `own`.
  [[nodiscard]] bool meets(const ByteSet& all, const ByteSet& own) const;
  [[nodiscard]] bool empty() const { return first_ >= end_; }

 private:
  void put(size_t word, uint64_t bits);
  std::vector<uint64_t> words_;
  size_t first_ = 0, end_ = 0;  // words that may not be 0
};

}  // namespace warpledger::race
