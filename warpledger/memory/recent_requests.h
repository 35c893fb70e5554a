// The requests that SMs have made lately, by site, shape and the place of their base in its line:
// what there is to do about one, in one cache line of the host, or two where it loads from global
// memory. Most records of a launch are repetitions, and end here. Counts are kept here until an
// entry makes room; Patterns hold the others.
#pragma once

#include <array>
#include <vector>

#include "warpledger/base/units.h"
#include "warpledger/memory/pattern.h"

namespace warpledger::memory {

class RecentRequests {
 public:
  /// Loads of so many lines at most are spelled out; `work` of others is kOther.
  static constexpr uint32_t kMostLines = 4;
  static constexpr uint32_t kNothing = 0, kOther = 0xFF;

  struct Entry {
    uint64_t key = ~uint64_t{0};
    uint64_t executions_and_work = 0;

    void count() { executions_and_work += kExecution; }
    [[nodiscard]] uint64_t executions() const { return executions_and_work / kExecution; }
    [[nodiscard]] uint32_t site() const { return static_cast<uint32_t>(key >> 39); }
    /// kNothing, the number of lines that are loaded, or kOther.
    [[nodiscard]] uint32_t work() const {
      return static_cast<uint32_t>(executions_and_work % kExecution);
    }
  };
  struct Line {
    int32_t delta = 0;  // from the line of the record's address
    uint32_t sectors = 0;
  };
  struct alignas(64) Details {
    std::array<Line, kMostLines> lines{};
    uint64_t tag_wavefronts = 0;  // of loads of two lines and more
    Pattern* pattern = nullptr;
    uint64_t offset = 0;      // from the record's address to the request's base
    uint32_t line_shift = 7;  // from there to its line

    [[nodiscard]] Request request(uint64_t address) const {
      return {pattern, (address + offset) >> line_shift};
    }
  };

  RecentRequests() : entries_(size_t{1} << kBits), details_(size_t{1} << kBits) {}

  /// Of any record; those that are not regular have keys that nobody keeps.
  [[nodiscard]] static uint64_t key_of(const trace::Record& record) {
    return (uint64_t{record.site} << 32 | record.shape) << 7 | record.address % kLineBytes;
  }
  /// Nothing where it was not kept.
  [[nodiscard]] Entry* find(uint64_t key) {
    Entry* const entry = &entries_[place_of(key)];
    if (entry->key == key) return entry;
    Entry* const other = &entries_[place_of(key) ^ 1];
    return other->key == key ? other : nullptr;
  }
  [[nodiscard]] Details& details(const Entry* entry) {
    return details_[static_cast<size_t>(entry - entries_.data())];
  }
  /// Keeps what was found of a regular record of a site in no group. Pre: find(key_of(it)) found
  /// nothing; site < 2^25.
  void keep(const trace::Record& record, const trace::Site& site, const Request& request);
  /// Adds what is counted here and not yet in a pattern.
  void add_to(std::vector<SiteCounters>& sites) const;

 private:
  static constexpr uint64_t kExecution = 256;
  static constexpr uint32_t kBits = 13;
  static size_t place_of(uint64_t key) {
    return static_cast<size_t>(key * 0x9E3779B97F4A7C15u >> (64 - kBits));
  }
  /// Of the place's executions, where nobody else counts them.
  [[nodiscard]] uint64_t tag_wavefronts(size_t place) const;
  void give_back(size_t place);

  std::vector<Entry> entries_;
  std::vector<Details> details_;  // beside `entries_`
};

}  // namespace warpledger::memory
