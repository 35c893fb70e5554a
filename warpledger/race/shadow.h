// What has touched each word of memory, and which of it races with what comes next.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warpledger/race/race.h"

namespace warpledger::race {

enum class Role : uint8_t { kNone, kRead, kWrite, kStrongRead, kStrongWrite };

/// One thread's access to (a part of) an aligned word of 4 bytes.
struct Touch {
  uint32_t site = 0;
  uint64_t block = 0;
  uint32_t interval = 0;  // barriers of the whole block before it
  uint32_t thread = 0;
  uint32_t position = 0;  // accesses of its warp before it, in the interval
  uint8_t bytes = 0;      // of the word, as bits
  Role role = Role::kRead;
  bool has_acquired = false;        // its warp, in the interval
  bool is_released = false;         // by its warp, in the interval
  bool block_has_acquired = false;  // in an interval before, or its warp in this one

  [[nodiscard]] uint32_t warp() const { return thread / 32; }
};

[[nodiscard]] bool are_concurrent(const Touch& a, const Touch& b);
/// Whether one of them is a plain write, and not both are strong.
[[nodiscard]] bool conflict(Role a, Role b);

/// Races by pair of sites.
class Tally {
 public:
  void add(trace::Space space, const Touch& a, const Touch& b, uint64_t address);
  void add(const Tally& other);
  [[nodiscard]] std::vector<Race> races() const;

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // lower site first
  static void merge(Race& into, const Race& from);
  std::map<Key, Race> races_;
};

class Shadow {
 public:
  /// `most`: threads of different warps that are kept for a word and a site.
  Shadow(trace::Space space, size_t most) : space_(space), most_(most) {}
  /// Adds the races with what touched the word before, then keeps it. `word`: its address / 4.
  void touch(uint64_t word, const Touch& touch, Tally& tally);
  void clear() { pages_.clear(), touches_.clear(); }

 private:
  static constexpr uint64_t kPageWords = 1024;
  struct Kept {
    Touch touch;
    uint32_t next = 0;  // of the same word: 1 + its place in touches_
  };
  struct Page {
    uint32_t first[kPageWords] = {};  // 1 + place of the newest
  };
  [[nodiscard]] uint32_t& newest(uint64_t word);
  void add_races(uint64_t word, uint32_t newest, const Touch& touch, Tally& tally);

  trace::Space space_;
  size_t most_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<Kept> touches_;
  std::vector<uint32_t> counted_;
};

}  // namespace warpledger::race
