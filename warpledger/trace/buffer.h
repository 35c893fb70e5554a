// The records of one warp that were written and not yet taken. The engine writes at the end, a
// sink takes from the front, in any rhythm: what is not taken stays, and the buffer grows.
//
// Compiled code keeps `end_` in a register: it calls reserve(n) once per basic block that writes
// at most n slots, then stores through end() and calls set_end() when it leaves. 16-byte slots,
// 64-byte aligned storage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "warpledger/base/check.h"
#include "warpledger/trace/trace.h"

namespace warpledger::trace {

class Buffer {
 public:
  /// Room for `slots` further slots at end(); moves what is held to the front or to a larger place.
  void reserve(size_t slots) {
    if (static_cast<size_t>(limit_ - end_) < slots) grow(slots);
  }
  [[nodiscard]] Record* end() { return end_; }
  [[nodiscard]] Record* limit() { return limit_; }  // compiled code compares against it
  void set_end(Record* end) { end_ = end; }

  void push(const Record& record) {
    reserve(1);
    *end_++ = record;
  }
  void push_raw(uint32_t mask, uint32_t site, const std::array<uint64_t, kLanes>& addresses) {
    reserve(kRawSlots);
    *end_ = {mask, kRaw, site};
    std::memcpy(static_cast<void*>(end_ + 1), addresses.data(), sizeof(addresses));
    end_ += kRawSlots;
  }
  void push_bulk(uint64_t address, uint64_t bytes, uint32_t site) {
    reserve(kBulkSlots);
    *end_++ = {address, kBulk, site};
    *end_++ = {bytes, 0, 0};
  }
  /// Pre: `count.texels` is the number of addresses.
  void push_texels(const TexelCount& count, uint32_t site, std::span<const uint64_t> addresses) {
    WL_CHECK(count.texels == addresses.size());
    const Record head{count.word(), kTexels, site};
    reserve(slots_of(head));
    end_[slots_of(head) - 1] = {};  // the last slot may be half full
    *end_ = head;
    if (!addresses.empty())
      std::memcpy(static_cast<void*>(end_ + 1), addresses.data(), addresses.size_bytes());
    end_ += slots_of(head);
  }

  [[nodiscard]] std::span<const Record> held() const { return {begin_, end_}; }
  /// Takes the first `slots` slots out.
  void drop(size_t slots) {
    WL_CHECK(slots <= held().size());
    begin_ += slots;
    if (begin_ == end_) begin_ = end_ = storage_.get();
  }
  void clear() { begin_ = end_ = storage_.get(); }

 private:
  struct Free {
    void operator()(Record* records) const {
      ::operator delete[](static_cast<void*>(records), std::align_val_t{64});
    }
  };
  void grow(size_t slots);

  std::unique_ptr<Record[], Free> storage_;
  Record* begin_ = nullptr;
  Record* end_ = nullptr;
  Record* limit_ = nullptr;
};

/// The lane addresses of a raw record that starts at `head`.
[[nodiscard]] inline std::array<uint64_t, kLanes> raw_addresses(const Record* head) {
  std::array<uint64_t, kLanes> addresses;
  std::memcpy(addresses.data(), head + 1, sizeof(addresses));
  return addresses;
}

/// The addresses of a record of texels that starts at `head`.
[[nodiscard]] inline std::vector<uint64_t> texel_addresses(const Record* head) {
  std::vector<uint64_t> addresses(TexelCount::of(head->address).texels);
  if (!addresses.empty())
    std::memcpy(addresses.data(), head + 1, addresses.size() * sizeof(uint64_t));
  return addresses;
}

}  // namespace warpledger::trace
