// memory: what a GPU's memory system makes of the accesses of warps. One class per hardware unit:
//
//   coalescer.h       lanes -> 128 B lines and 32 B sectors of one request; tag stage
//   banks.h           data-stage wavefronts: shared memory and the L1 data array
//   pattern.h         both of them once per shape and alignment instead of once per access
//   recent_requests.h and what an SM has to do about those that it meets again and again
//   l1.h l2.h dram.h  caches and device memory
//   open_rows.h       which rows of device memory an access finds open
//   schedule.h        the order in which CTAs and warps advance: stated policies with a seed
//   hierarchy.h       the only place where units are wired together
//   replay.h          drives an engine (trace::Producer) through all of it
//
// This room knows addresses, caches and order. It must not know PTX, values or time. What follows
// from addresses alone is exact (Fidelity::kExact); what depends on order or on a fitted constant
// is modeled. Rules, sources and errors: docs/memory-model.md.
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

/// What follows from the addresses of one request, or of many added up. Exact. `Number`: uint64_t,
/// or double where counters are weighted (profile/value/fields.h).
template <class Number>
struct RequestCountersOf {
  Number instructions = 0;         // warp instructions, those with all lanes off included
  Number requests = 0;             // with at least one lane on
  Number lanes = 0;                // active lanes
  Number sectors = 0;              // t_sectors: distinct 32 B sectors (float reductions: lanes)
  Number theoretical_sectors = 0;  // distinct 32 B sectors, as ncu's source page counts them
  Number ideal_sectors = 0;        // had the lanes' bytes been packed
  Number tags = 0;                 // distinct 128 B lines
  Number data_wavefronts = 0;      // passes over 32 banks of 4 B
  Number ideal_wavefronts = 0;     // without bank conflicts
  Number words = 0;                // distinct 4 B words: data_bank_reads and _writes
  RequestCountersOf& operator+=(const RequestCountersOf& other);
  friend bool operator==(const RequestCountersOf&, const RequestCountersOf&) = default;
};
using RequestCounters = RequestCountersOf<uint64_t>;

/// One site (memory instruction) of the kernel, over the whole launch.
template <class Number>
struct SiteCountersOf {
  RequestCountersOf<Number> request;  // exact
  Number tag_wavefronts = 0;          // exact: passes over the 4 tag banks
  Number l1_hit_sectors = 0;          // from here on modeled: order decides
  Number l2_requests = 0;             // sent to the L2, one per line
  Number l2_partial_requests = 0;     // writes with a sector that is not written whole
  Number l2_sectors = 0;              // sent to the L2
  Number l2_hit_sectors = 0;          // found there
  Number l2_promoted_sectors = 0;     // not asked for, fetched along: ncu's misses include them
  Number dram_read_sectors = 0;       // fetched on its behalf
  SiteCountersOf& operator+=(const SiteCountersOf& other);
  friend bool operator==(const SiteCountersOf&, const SiteCountersOf&) = default;
};
using SiteCounters = SiteCountersOf<uint64_t>;

/// Calls visit(c.counter...) for each counter of a request, the same one of each argument.
template <class Visit, class... Requests>
void each_request_counter(Visit visit, Requests&... c) {
  visit(c.instructions...);
  visit(c.requests...);
  visit(c.lanes...);
  visit(c.sectors...);
  visit(c.theoretical_sectors...);
  visit(c.ideal_sectors...);
  visit(c.tags...);
  visit(c.data_wavefronts...);
  visit(c.ideal_wavefronts...);
  visit(c.words...);
}
/// The same of the counters of a site that order decides.
template <class Visit, class... Sites>
void each_modeled_counter(Visit visit, Sites&... c) {
  visit(c.l1_hit_sectors...);
  visit(c.l2_requests...);
  visit(c.l2_partial_requests...);
  visit(c.l2_sectors...);
  visit(c.l2_hit_sectors...);
  visit(c.l2_promoted_sectors...);
  visit(c.dram_read_sectors...);
}
/// The same of all of a site's.
template <class Visit, class... Sites>
void each_counter(Visit visit, Sites&... c) {
  each_request_counter(visit, c.request...);
  visit(c.tag_wavefronts...);
  each_modeled_counter(visit, c...);
}
// A counter more must be added to the lists above, too.
static_assert(sizeof(RequestCounters) == 10 * sizeof(uint64_t));
static_assert(sizeof(SiteCounters) == sizeof(RequestCounters) + 8 * sizeof(uint64_t));

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
  uint64_t opened_rows = 0;             // open_rows.h; 0 where the memory's rows are not known
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
