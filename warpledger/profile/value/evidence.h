// The counters of one order of a Profile, summed as ncu's tables group them.
#pragma once

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// What formulas are evaluated on: the profile, with the counters of one of its orders.
struct Evidence {
  const Profile& profile;
  const memory::Counters& counters;
};

/// ncu's rows: loads, stores, reductions, atomics, and cp.async (LDGSTS).
enum class Operation : uint8_t { kLoad, kStore, kReduction, kAtomic, kCopy };

[[nodiscard]] std::optional<Operation> operation_of(const trace::Site& site);

/// Whether lanes get bytes there; those of a cp.async leave global memory and enter shared memory.
/// Nothing for what neither the load/store unit nor the texture unit serves.
[[nodiscard]] std::optional<bool> is_load(const trace::Site& site);

/// Whether only the machine code shows the access as it is (a spill, one for several trips): its
/// counts are modeled.
[[nodiscard]] inline bool is_mapped(const Instruction& instruction) {
  return instruction.is_spill || instruction.site.serves_window;
}

/// How far a count of sectors, hits or bytes can be trusted: of the texture unit, and where
/// is_mapped(), less than of others; of accesses whose places in memory are assumed least.
[[nodiscard]] Fidelity placed_as(const Instruction& instruction);

/// For each machine instruction, the PTX instruction that it was made of; where there is none, as
/// of many spills, that of the last one before it.
[[nodiscard]] std::vector<uint32_t> nearest_numbers(const Profile& profile);

/// The sum over all sites for which `keep(site)` holds.
template <class Keep>
[[nodiscard]] memory::SiteCounters sum_where(const Evidence& evidence, Keep keep) {
  memory::SiteCounters sum;
  for (size_t i = 0; i < evidence.counters.sites.size(); ++i) {
    if (keep(evidence.profile.instructions[i].site)) sum += evidence.counters.sites[i];
  }
  return sum;
}

[[nodiscard]] memory::SiteCounters sum_of(const Evidence& evidence, trace::Space space,
                                          Operation operation);

/// Bytes that lanes move in accesses of these kinds.
[[nodiscard]] uint64_t bytes_moved(const Evidence& evidence, trace::Space space,
                                   const std::vector<trace::Kind>& kinds);

/// Far accesses, but for bulk copies, which go past the L1.
[[nodiscard]] bool passes_l1_tags(const trace::Site& site);

/// Everything that goes through the L1's tags.
[[nodiscard]] memory::SiteCounters sum_of_l1(const Evidence& evidence);

/// Work of the load/store unit and the L1 over all SMs. Accesses of the texture unit count on the
/// paths between L1 and L2 alone.
struct LsuWork {
  uint64_t instructions = 0;                   // memory instructions, shuffles, reads of threadIdx
  uint64_t other = 0;                          // of these, those that touch no memory
  uint64_t data_wavefronts = 0;                // one for each other instruction included
  uint64_t words_read = 0, words_written = 0;  // of the L1 data banks
  uint64_t writeback_cycles = 0;               // 128 B of register data each
  uint64_t request_cycles = 0;                 // L1 -> crossbar
  uint64_t read_sectors = 0;                   // crossbar -> L1
  uint64_t lsu_read_sectors = 0;               // of these, not for the texture unit
  LsuWork& operator+=(const LsuWork& part);
};
[[nodiscard]] LsuWork lsu_work(const Evidence& evidence);
/// The part of one memory instruction. Post: lsu_work() is the sum of these and of what passes the
/// unit without an access (`other`, and instructions that are off in all lanes).
[[nodiscard]] LsuWork lsu_work_of(const trace::Site& site, const memory::SiteCounters& counters);

/// What a request does in the L2.
enum class L2Class : uint8_t { kReads, kWrites, kReductions, kAtomics, kSwaps };
/// Nothing for what does not reach the L2: shared memory, constants, tensor memory.
[[nodiscard]] std::optional<L2Class> l2_class_of(const trace::Site& site);

/// Requests that reach the L2, by what they do.
struct L2Work {
  memory::SiteCounters reads = {}, writes = {}, reductions = {}, atomics = {}, swaps = {};
  [[nodiscard]] memory::SiteCounters total() const;
};
[[nodiscard]] L2Work l2_work(const Evidence& evidence);

}  // namespace warpledger::profile
