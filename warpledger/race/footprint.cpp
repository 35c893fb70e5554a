#include "warpledger/race/footprint.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "warpledger/base/check.h"

namespace warpledger::race {
namespace {

constexpr int64_t kWordBytes = 64;  // a bit for each

uint64_t low_bits(uint64_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

}  // namespace

Footprint footprint_of(const trace::Shape& shape, uint32_t width) {
  int64_t lowest = std::numeric_limits<int64_t>::max();
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (shape.mask >> lane & 1) lowest = std::min<int64_t>(lowest, shape.offset[lane]);
  }
  if (shape.mask == 0) return {};
  Footprint footprint{.origin = lowest};
  std::map<uint32_t, uint64_t> bits;
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (!(shape.mask >> lane & 1)) continue;
    for (int64_t byte = shape.offset[lane] - lowest; byte < shape.offset[lane] - lowest + width;
         ++byte)
      bits[static_cast<uint32_t>(byte / kWordBytes)] |= uint64_t{1} << (byte % kWordBytes);
  }
  footprint.bits.assign(bits.begin(), bits.end());
  return footprint;
}

FootprintTable::~FootprintTable() {
  for (const auto& held : chunks_) {
    const std::unique_ptr<Chunk> chunk(held.load());
    if (chunk == nullptr) continue;
    for (const auto& footprint : *chunk) delete footprint.load();
  }
}

FootprintTable::Chunk& FootprintTable::chunk_of(uint32_t shape) {
  std::atomic<Chunk*>& held = chunks_[shape / kChunk];
  Chunk* chunk = held.load(std::memory_order_acquire);
  if (chunk != nullptr) return *chunk;
  const std::lock_guard lock(mutex_);
  chunk = held.load();
  if (chunk == nullptr) held.store(chunk = new Chunk{}, std::memory_order_release);
  return *chunk;
}

const Footprint& FootprintTable::find(const trace::ShapeTable& shapes, uint32_t shape,
                                      uint32_t width) {
  const auto which = static_cast<uint32_t>(std::countr_zero(width));
  WL_CHECK(which < kWidths);
  std::atomic<const Footprint*>& held = chunk_of(shape)[shape % kChunk * kWidths + which];
  if (const Footprint* found = held.load(std::memory_order_acquire)) return *found;
  auto made = std::make_unique<const Footprint>(footprint_of(shapes[shape], width));
  const std::lock_guard lock(mutex_);
  if (held.load() == nullptr) held.store(made.release(), std::memory_order_release);
  return *held.load();
}

void ByteSet::put(size_t word, uint64_t bits) {
  words_[word] |= bits;
  first_ = std::min(first_, word);
  end_ = std::max(end_, word + 1);
}

void ByteSet::add(const Footprint& footprint, uint64_t address) {
  const uint64_t start = address + static_cast<uint64_t>(footprint.origin);
  const size_t word = start / 64;
  const uint64_t shift = start % 64;
  for (const auto& [index, bits] : footprint.bits) {
    put(word + index, bits << shift);
    if (shift != 0 && bits >> (64 - shift) != 0) put(word + index + 1, bits >> (64 - shift));
  }
}

void ByteSet::add(uint64_t address, uint64_t bytes) {
  while (bytes > 0) {
    const uint64_t here = std::min<uint64_t>(bytes, 64 - address % 64);
    put(address / 64, low_bits(here) << (address % 64));
    address += here;
    bytes -= here;
  }
}

void ByteSet::add(const ByteSet& other) {
  for (size_t word = other.first_; word < other.end_; ++word) words_[word] |= other.words_[word];
  first_ = std::min(first_, other.first_);
  end_ = std::max(end_, other.end_);
}

void ByteSet::clear() {
  for (size_t word = first_; word < end_; ++word) words_[word] = 0;
  first_ = words_.size(), end_ = 0;
}

bool ByteSet::meets(const Footprint& footprint, uint64_t address) const {
  const uint64_t start = address + static_cast<uint64_t>(footprint.origin);
  const uint64_t* words = words_.data() + start / 64;
  const uint64_t shift = start % 64;
  uint64_t both = 0;
  for (const auto& [index, bits] : footprint.bits) {
    both |= words[index] & bits << shift;
    if (shift != 0) both |= words[index + 1] & bits >> (64 - shift);
  }
  return both != 0;
}

bool ByteSet::meets(const ByteSet& all, const ByteSet& own) const {
  for (size_t word = first_; word < end_; ++word)
    if ((words_[word] & all.words_[word] & ~own.words_[word]) != 0) return true;
  return false;
}

bool ByteSet::meets(const ByteSet& other) const {
  const size_t first = std::max(first_, other.first_), end = std::min(end_, other.end_);
  uint64_t both = 0;
  for (size_t word = first; word < end; ++word) both |= words_[word] & other.words_[word];
  return both != 0;
}

}  // namespace warpledger::race
