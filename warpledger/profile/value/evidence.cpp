#include "warpledger/profile/value/evidence.h"

#include <algorithm>

namespace warpledger::profile {

using memory::SiteCounters;
using trace::Kind;
using trace::Site;
using trace::Space;

std::optional<Operation> operation_of(const Site& site) {
  if (!passes_load_store_unit(site)) return {};
  if (site.kind == Kind::kAsyncCopy) return Operation::kCopy;
  switch (effect_of(site)) {
    case trace::Effect::kRead:
      return Operation::kLoad;
    case trace::Effect::kWrite:
      return Operation::kStore;
    case trace::Effect::kUpdate:
      // Shared memory has no reduction that answers nothing: ATOMS does both.
      return site.kind == Kind::kReduction && site.space != Space::kShared ? Operation::kReduction
                                                                           : Operation::kAtomic;
  }
  return {};
}

std::optional<bool> is_load(const Site& site) {
  if (passes_texture_unit(site)) return effect_of(site) == trace::Effect::kRead;
  const std::optional<Operation> does = operation_of(site);
  if (!does) return {};
  return *does == Operation::kLoad || (*does == Operation::kCopy && site.space != Space::kShared);
}

Fidelity placed_as(const Instruction& instruction) {
  if (instruction.site.assumed_layout) return Fidelity::kAssumed;
  const bool is_exact = !is_mapped(instruction) && !passes_texture_unit(instruction.site);
  return is_exact ? Fidelity::kExact : Fidelity::kModeled;
}

std::vector<uint32_t> nearest_numbers(const Profile& profile) {
  std::vector<uint32_t> numbers;
  uint32_t last = 0;
  for (const ProgramBlock& block : profile.program) {
    for (const ProgramInstruction& one : block.code) {
      if (one.number < profile.code.size()) last = one.number;
      numbers.push_back(last);
    }
  }
  return numbers;
}

SiteCounters sum_of(const Evidence& evidence, Space space, Operation operation) {
  return sum_where(evidence, [&](const Site& site) {
    return site.space == space && operation_of(site) == operation;
  });
}

uint64_t bytes_moved(const Evidence& evidence, Space space, const std::vector<Kind>& kinds) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < evidence.counters.sites.size(); ++i) {
    const Site& site = evidence.profile.instructions[i].site;
    const bool counts = std::find(kinds.begin(), kinds.end(), site.kind) != kinds.end();
    if (site.space == space && counts)
      bytes += evidence.counters.sites[i].request.lanes * site.width;
  }
  return bytes;
}

bool passes_l1_tags(const Site& site) { return is_far(site) && !is_bulk(site.kind); }

SiteCounters sum_of_l1(const Evidence& evidence) { return sum_where(evidence, passes_l1_tags); }

namespace {

/// The instruction has an access of its own, and not to constant memory, which goes another way.
bool counts_for_lsu(const Site& site) {
  return operation_of(site) && site.space != Space::kConstant && site.space != Space::kNone;
}

/// Machine instructions of the load/store unit that no access stands for: ptxas made predicates of
/// branches, and what is off in all lanes still passes once.
uint64_t switched_off(const Profile& profile) {
  if (!profile.machine) return 0;
  uint64_t known = profile.machine->lsu_other;
  for (size_t i = 0; i < profile.counters.sites.size(); ++i) {
    const Site& site = profile.instructions[i].site;
    if (!counts_for_lsu(site)) continue;
    known += profile.counters.sites[i].request.instructions;
  }
  const uint64_t all = profile.machine->pipes.lsu;
  return all > known ? all - known : 0;
}

}  // namespace

LsuWork& LsuWork::operator+=(const LsuWork& part) {
  instructions += part.instructions;
  other += part.other;
  data_wavefronts += part.data_wavefronts;
  words_read += part.words_read;
  words_written += part.words_written;
  writeback_cycles += part.writeback_cycles;
  request_cycles += part.request_cycles;
  read_sectors += part.read_sectors;
  lsu_read_sectors += part.lsu_read_sectors;
  return *this;
}

namespace {

LsuWork texture_work_of(const Site& site, const SiteCounters& sum) {
  LsuWork work;
  if (effect_of(site) == trace::Effect::kRead) {
    work.request_cycles = sum.l2_requests;
    work.read_sectors = sum.l2_sectors;
  } else {
    work.request_cycles = sum.l2_sectors + sum.l2_partial_requests;
  }
  return work;
}

uint64_t data_passes(const Site& site, const SiteCounters& sum) {
  const memory::RequestCounters& request = sum.request;
  uint64_t passes = request.data_wavefronts;
  // An instruction that is off in all lanes still passes once.
  if (request.instructions > request.requests) passes += request.instructions - request.requests;
  // A copy through the L1 passes once more for each pass of the tags; one past it does not (L4 and
  // RTX 3090 against RTX PRO 6000: 4.0 passes for 16 lines, 2 for 4 and 8; 0.2).
  const bool is_source = site.kind == trace::Kind::kAsyncCopy && site.space == Space::kGlobal;
  const bool has_tags = site.cache != trace::CacheOperator::kGlobal;
  return is_source && has_tags ? passes + sum.tag_wavefronts : passes;
}

/// Global stores read the banks too, shared ones do not (reports of 4090 kernels, equal), and a
/// copy reads them once (RTX 3090: 1,543 words for 1,536 of 12 ldmatrix and 4 copies).
void add_bank_words(const Site& site, Operation operation, uint64_t words, LsuWork& work) {
  const bool copies_in = operation == Operation::kCopy && site.space == Space::kShared;
  const bool stores = operation == Operation::kStore;
  if (!copies_in && !(stores && site.space == Space::kShared)) work.words_read = words;
  if (stores || copies_in) work.words_written = words;
}

}  // namespace

// Rules and checks: docs/memory-model.md; exact on reports of V100 to GH200 for instructions, bank
// words and write-back, 0.5 to 1 cycle per load request on the way to the crossbar.
LsuWork lsu_work_of(const Site& site, const SiteCounters& sum) {
  LsuWork work;
  const auto operation = operation_of(site);
  if (passes_texture_unit(site)) return texture_work_of(site, sum);
  if (!counts_for_lsu(site)) return work;
  work.instructions = sum.request.instructions;
  work.data_wavefronts = data_passes(site, sum);
  add_bank_words(site, *operation, sum.request.words, work);
  const bool reads = *operation == Operation::kLoad;
  if (reads || *operation == Operation::kAtomic) {
    // Lanes that read the same words of shared memory are served, and written, together (RTX 3080
    // matrix products: equal).
    work.writeback_cycles = reads && site.space == Space::kShared
                                ? sum.request.ideal_wavefronts
                                : sum.request.requests * std::max<uint64_t>(1, site.width / 4);
  }
  if (site.space == Space::kShared) return work;
  if (reads || *operation == Operation::kCopy) {
    work.request_cycles = sum.l2_requests;
    work.read_sectors = work.lsu_read_sectors = sum.l2_sectors;
    work.words_written += 8 * work.read_sectors;
  } else {
    work.request_cycles = sum.l2_sectors + sum.l2_partial_requests;
  }
  return work;
}

LsuWork lsu_work(const Evidence& evidence) {
  LsuWork work;
  const Profile& profile = evidence.profile;
  for (size_t i = 0; i < evidence.counters.sites.size(); ++i)
    work += lsu_work_of(profile.instructions[i].site, evidence.counters.sites[i]);
  work.other = profile.machine ? profile.machine->lsu_other
                               : profile.execution.shuffles + profile.execution.thread_index_reads;
  const uint64_t off = switched_off(profile);
  work.instructions += work.other + off;
  work.data_wavefronts += work.other + off;
  work.writeback_cycles += work.other;
  return work;
}

std::optional<L2Class> l2_class_of(const Site& site) {
  if (!is_far(site)) return {};
  switch (effect_of(site)) {
    case trace::Effect::kRead:
      return L2Class::kReads;
    case trace::Effect::kWrite:
      return L2Class::kWrites;
    case trace::Effect::kUpdate:
      return site.kind == Kind::kAtomic        ? L2Class::kAtomics
             : site.kind == Kind::kCompareSwap ? L2Class::kSwaps
                                               : L2Class::kReductions;
  }
  return {};
}

L2Work l2_work(const Evidence& evidence) {
  const auto of = [&](L2Class one) {
    return sum_where(evidence, [one](const Site& site) { return l2_class_of(site) == one; });
  };
  return {.reads = of(L2Class::kReads),
          .writes = of(L2Class::kWrites),
          .reductions = of(L2Class::kReductions),
          .atomics = of(L2Class::kAtomics),
          .swaps = of(L2Class::kSwaps)};
}

SiteCounters L2Work::total() const {
  SiteCounters sum = reads;
  sum += writes;
  sum += reductions;
  sum += atomics;
  sum += swaps;
  return sum;
}

}  // namespace warpledger::profile
