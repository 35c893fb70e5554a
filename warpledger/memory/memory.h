// memory: what a GPU's memory system makes of the accesses of warps. One class per hardware unit:
//
//   coalescer.h       lanes -> 128 B lines and 32 B sectors of one request; tag stage
//   banks.h           data-stage wavefronts: shared memory and the L1 data array
//   pattern.h         both of them once per shape and alignment instead of once per access
//   l1.h l2.h dram.h  caches and device memory
//   schedule.h        the order in which CTAs and warps advance: stated policies with a seed
//   hierarchy.h       the only place where units are wired together
//   replay.h          drives an engine (trace::Producer) through all of it
//
// This room knows addresses, caches and order. It must not know PTX, values or time. What follows
// from addresses alone is exact (Fidelity::kExact); what depends on order or on a fitted constant
// is modelled. Rules, sources and errors: docs/memory-model.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpledger/trace/trace.h"

namespace warpledger::memory {

inline constexpr size_t kLanes = trace::kLanes;

/// The number of sectors in a mask of 4 bits; a table in one word, for hosts without popcount.
[[nodiscard]] constexpr uint64_t sector_count(uint8_t sectors) {
  return 0x4332322132212110u >> (4 * sectors) & 0xF;
}

/// The addresses of one warp access. Contract: addresses are multiples of width, a power of two
/// of at most 32, so that a lane never crosses a sector.
struct Lanes {
  uint32_t mask = 0;
  uint32_t width = 4;
  std::array<uint64_t, kLanes> address{};  // valid in the lanes of `mask`
};

/// What follows from the addresses of one request, or of many added up. Exact.
struct RequestCounters {
  uint64_t instructions = 0;         // warp instructions, those with all lanes off included
  uint64_t requests = 0;             // with at least one lane on
  uint64_t lanes = 0;                // active lanes
  uint64_t sectors = 0;              // t_sectors: distinct 32 B sectors (float reductions: lanes)
  uint64_t theoretical_sectors = 0;  // distinct 32 B sectors, as ncu's source page counts them
  uint64_t ideal_sectors = 0;        // had the lanes' bytes been packed
  uint64_t tags = 0;                 // distinct 128 B lines
  uint64_t data_wavefronts = 0;      // passes over 32 banks of 4 B
  uint64_t ideal_wavefronts = 0;     // without bank conflicts
  uint64_t words = 0;                // distinct 4 B words: data_bank_reads and _writes
  RequestCounters& operator+=(const RequestCounters& other);
  friend bool operator==(const RequestCounters&, const RequestCounters&) = default;
};

/// One site (memory instruction) of the kernel, over the whole launch.
struct SiteCounters {
  RequestCounters request;           // exact
  uint64_t tag_wavefronts = 0;       // exact: passes over the 4 tag banks
  uint64_t l1_hit_sectors = 0;       // from here on modelled: order decides
  uint64_t l2_requests = 0;          // sent to the L2, one per line
  uint64_t l2_partial_requests = 0;  // writes with a sector that is not written whole
  uint64_t l2_sectors = 0;           // sent to the L2
  uint64_t l2_hit_sectors = 0;       // found there
  uint64_t l2_promoted_sectors = 0;  // not asked for, fetched along: ncu's misses include them
  uint64_t dram_read_sectors = 0;    // fetched on its behalf
  SiteCounters& operator+=(const SiteCounters& other);
  friend bool operator==(const SiteCounters&, const SiteCounters&) = default;
};

/// The L2 over all clients, as ncu's lts__t_* count it.
struct L2Counters {
  uint64_t read_sectors = 0, read_hits = 0;  // from the SMs
  uint64_t write_sectors = 0, write_hits = 0;
  uint64_t atomic_sectors = 0, atomic_hits = 0;  // atomics and reductions
  uint64_t hottest_atomics = 0;  // of these, at the sector that got most (hottest.h)
  uint64_t fabric_sectors = 0, fabric_hits = 0;  // between the two partitions
  uint64_t promoted_sectors = 0;                 // fetched along with what the SMs missed
  uint64_t ecc_sectors = 0;                      // fetched to complete partial writes
  [[nodiscard]] uint64_t sm_sectors() const {
    return read_sectors + write_sectors + atomic_sectors;
  }
  [[nodiscard]] uint64_t lookups() const { return sm_sectors() + fabric_sectors; }
  [[nodiscard]] uint64_t hits() const { return read_hits + write_hits + atomic_hits + fabric_hits; }
  friend bool operator==(const L2Counters&, const L2Counters&) = default;
};

struct DramCounters {
  uint64_t read_sectors = 0;
  uint64_t write_sectors = 0;
  uint64_t ecc_read_sectors = 0;  // part of read_sectors
  uint64_t ecc_write_sectors = 0;
  uint64_t dirty_left_sectors = 0;      // still in the L2 at the end: not written
  uint64_t unique_read_sectors = 0;     // each sector once (footprint.h), check bits apart
  uint64_t unique_written_sectors = 0;  // the same, what is left dirty included
  friend bool operator==(const DramCounters&, const DramCounters&) = default;
};

struct Counters {
  std::vector<SiteCounters> sites;  // indexed as trace::Sites
  L2Counters l2;
  DramCounters dram;
  friend bool operator==(const Counters&, const Counters&) = default;

  /// The sum over the sites for which `keep(site)` holds.
  template <class Keep>
  [[nodiscard]] SiteCounters total(const trace::Sites& list, Keep keep) const {
    SiteCounters sum;
    for (size_t i = 0; i < sites.size(); ++i) {
      if (keep(list[i])) sum += sites[i];
    }
    return sum;
  }
};

}  // namespace warpledger::memory
