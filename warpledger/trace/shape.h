// Where the lanes of one access lie, relative to each other. Most accesses of a kernel share a
// handful of shapes, so a record names its shape by number (16 bytes instead of 256), and what the
// memory model derives from a shape is derived once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "warpledger/trace/trace.h"

namespace warpledger::trace {

struct Shape {
  uint32_t mask = 0;                     // active lanes
  std::array<int32_t, kLanes> offset{};  // bytes; 0 in inactive lanes
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Shapes by number. intern() may be called from several threads; a shape, once numbered, neither
/// moves nor changes. Numbers depend on the order of calls: no output may depend on them.
class ShapeTable {
 public:
  ShapeTable();
  ~ShapeTable();
  ShapeTable(const ShapeTable&) = delete;
  ShapeTable& operator=(const ShapeTable&) = delete;

  /// The number of `shape`, or nothing when kMaxShapes are taken (the caller then records raw).
  /// Offsets of inactive lanes are ignored. The empty mask is kNoLanes.
  [[nodiscard]] std::optional<uint32_t> intern(Shape shape);

  [[nodiscard]] const Shape& operator[](uint32_t id) const {
    return chunks_[id / kChunk].load(std::memory_order_acquire)[id % kChunk];
  }
  [[nodiscard]] uint32_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  static constexpr uint32_t kChunk = 1024, kRecent = 4096;
  // Of a shape with that hash. Pre: mutex_ is held; add(): the shape has no number, and one is
  // left.
  [[nodiscard]] std::optional<uint32_t> find(const Shape& shape, uint64_t key) const;
  uint32_t add(const Shape& shape, uint64_t key);

  std::array<std::atomic<Shape*>, kMaxShapes / kChunk> chunks_{};
  std::atomic<uint32_t> size_ = 0;
  // By a hash of a few lanes, the last number that was given: found without the lock.
  std::array<std::atomic<uint32_t>, kRecent> recent_{};
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

}  // namespace warpledger::trace
