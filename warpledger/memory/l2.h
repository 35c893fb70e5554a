// The L2: sectored 128 B lines, 16 ways, replaced by age (a pointer chase drops sharply at the
// capacity on V100, A40, L40). Reads that miss fetch `fetch_bytes` from DRAM; what comes along
// counts as missed at once and as hit when it is read. Writes are kept with byte masks, fetch
// nothing and count as hits; only where `fill_partial_writes` does a partial write of an absent
// sector miss, and fetch it. Atomics are done here. Dirty data is written to DRAM when evicted, and
// earlier, oldest first, when more than `dirty_share` of the cache is dirty; what is dirty at the
// end stays and is not written.
//
// Two partitions (GA100, GH100, GB100): an SM looks up its own side; when the line's home is the
// other side and the data is not here, a second look-up over the fabric follows, and the data is
// kept on both sides. Writes go to the home and take a line on the writer's side too; atomics go to
// the home. ncu counts both look-ups, and on GA100 the near fill and the write-backs from the far
// side too, and a far hit once more as the SM's (a100_conv2d: 18.2 M hits + 11.6 M misses of 26.4 M
// sectors read, 3.5 M of them far hits).
#pragma once

#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpledger/memory/coalescer.h"
#include "warpledger/memory/dram.h"
#include "warpledger/memory/hottest.h"
#include "warpledger/memory/memory.h"
#include "warpledger/memory/tag_array.h"

namespace warpledger::memory {

enum class L2Operation : uint8_t { kRead, kWrite, kAtomic };

/// What an SM sends: up to 4 sectors of one line.
struct L2Request {
  uint32_t line = 0;
  uint32_t site = 0;
  L2Operation operation = L2Operation::kRead;
  uint8_t sectors = 0;
  uint8_t partial = 0;  // writes: sectors not covered whole
  uint32_t bytes = 0;   // where some are partial: number of the mask of what is written
};

/// Requests of one SM, in order. Few writes are partial: their masks stand apart.
class L2Queue {
 public:
  void push(const L2Request& request) { requests_.push_back(request); }
  void push(L2Request request, const ByteMask& bytes) {
    request.bytes = static_cast<uint32_t>(masks_.size());
    masks_.push_back(bytes);
    requests_.push_back(request);
  }
  void clear() {
    requests_.clear();
    masks_.clear();
  }
  [[nodiscard]] size_t size() const { return requests_.size(); }
  [[nodiscard]] std::span<const L2Request> requests() const { return requests_; }
  [[nodiscard]] const ByteMask* masks() const { return masks_.data(); }

 private:
  std::vector<L2Request> requests_;
  std::vector<ByteMask> masks_;
};

enum class Fabric : uint8_t { kNone, kGa100, kGh100 };

struct L2Config {
  uint64_t bytes = 0;
  Fabric fabric = Fabric::kNone;  // kNone: one partition
  uint32_t fetch_bytes = 32;      // 32 or 64
  double dirty_share = 1.0;
  bool fill_partial_writes = false;  // inline ECC needs whole sectors: the rest is fetched
};

class L2 {
 public:
  L2(const L2Config& config, Dram& dram);

  /// Requests first .. last - 1 of an SM's queue. `side`: the SM's partition, 0 or 1; ignored where
  /// there is one.
  void process(const L2Queue& queue, size_t first, size_t last, uint32_t side,
               std::vector<SiteCounters>& sites);
  /// Once, at the end of the kernel.
  void finish();
  /// Holds from now on what `before`, of the same configuration, held. Before the first request.
  void inherit(L2&& before);
  [[nodiscard]] L2Counters counters() const;
  [[nodiscard]] uint64_t dirty_sectors() const;
  /// Where the request's line is, or would go: in the partition that is asked first, and in the
  /// line's home where a read goes on to it. Changes nothing (cache_trace.h).
  [[nodiscard]] std::vector<Look> look(const L2Request& request, uint32_t side) const;

 private:
  struct Partition {
    TagArray tags;
    uint64_t dirty_sectors = 0;
    std::deque<uint32_t> dirty_lines;  // oldest first; may name lines cleaned since
  };
  struct Place {
    Partition* partition;
    TagSet* set;
    uint32_t way;
  };
  [[nodiscard]] Place touch(uint32_t side, uint32_t line);
  [[nodiscard]] uint32_t home_of(uint32_t line) const;
  uint8_t read(const L2Request& request, uint32_t side);
  void fetch(Place place, uint32_t line, uint8_t missing);
  /// Where partial writes need it; returns what was fetched.
  uint8_t fill_partial(Place place, uint32_t line, uint8_t lacking);
  uint8_t write(const L2Request& request, const ByteMask* masks, uint32_t side);
  uint8_t update(const L2Request& request, uint32_t side);
  /// Takes in what a partial write brought; returns the sectors of the request that are whole now.
  uint8_t complete(const L2Request& request, const ByteMask& bytes);
  void mark_dirty(Place place, uint32_t line, uint8_t sectors);
  void clean_oldest(Partition& partition);
  void write_back(Partition& partition, uint32_t line, uint8_t sectors);

  L2Config config_;
  Dram& dram_;
  SetIndex index_;
  uint64_t dirty_limit_;  // sectors per partition
  std::vector<Partition> partitions_;
  L2Counters counters_;
  Hottest hottest_;  // of atomics
  uint64_t far_write_backs_ = 0;
  std::unordered_map<uint32_t, ByteMask> incomplete_;  // by line: bytes of partly written sectors
};

}  // namespace warpledger::memory
