#include "warpledger/sass/witness/anchors.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "warpledger/sass/witness/loops.h"

namespace warpledger::sass {
namespace {

bool is_tensor_core(const Instruction& instruction) {
  return instruction.base().find("MMA") != std::string::npos;
}

/// PTX of which ptxas makes exactly one instruction a copy.
bool is_plain(const ptx::Spelling& spelling) {
  switch (spelling.op()) {
    case ptx::Op::kLd:
    case ptx::Op::kSt:
    case ptx::Op::kLdmatrix:
    case ptx::Op::kStmatrix:
    case ptx::Op::kCpAsync:
    case ptx::Op::kRed:
      return true;
    default:
      return spelling.opcode().family == ptx::Family::kBarrier;
  }
}

std::vector<uint32_t> blocks_of(const KernelWitness& kernel) {
  std::vector<uint32_t> block_of(kernel.code.size());
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (uint32_t i = kernel.blocks[b].first; i < kernel.blocks[b].end; ++i) block_of[i] = b;
  return block_of;
}

/// ptxas 13 unrolls into copies of 4, 2 and 1 and takes the largest that still fits.
void share_greedily(uint64_t trips, uint64_t entries,
                    const std::vector<std::pair<uint64_t, uint32_t>>& sizes,
                    std::map<uint32_t, BlockGuess>& found) {
  for (const auto& [copies, block] : sizes) {
    const uint64_t rounds = trips / copies;
    BlockGuess& guess = found[block];
    guess.count += rounds * entries;
    guess.entered = guess.entered.value_or(0) + (rounds > 0 ? entries : 0);
    trips %= copies;
  }
}

/// Copies by block, largest first, divided by what all have in common.
std::vector<std::pair<uint64_t, uint32_t>> sizes_of(const Anchor& anchor) {
  uint64_t common = 0;
  for (const auto& [block, copies] : anchor.copies) common = std::gcd(common, copies);
  std::vector<std::pair<uint64_t, uint32_t>> sizes;
  for (const auto& [block, copies] : anchor.copies) sizes.emplace_back(copies / common, block);
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

/// How often each entry into the innermost loop ran the block. Without a histogram the entries are
/// taken to have run alike, which is a guess.
struct Trips {
  std::map<uint64_t, uint64_t> entries;  // by number of runs; empty: nothing is known
  bool is_guess = false;
};

Trips trips_of(const PtxSide& side, uint32_t block, const FunctionCounts& counts) {
  const auto known = counts.trips.find(block);
  if (known != counts.trips.end()) return {known->second};
  const auto entries = loop_entries(side.cfg, innermost_loop(side.cfg, block), counts);
  if (!entries || *entries == 0) return {};
  const uint64_t ran = counts.blocks[block], longer = ran % *entries;
  Trips trips{.is_guess = true};
  trips.entries[ran / *entries] += *entries - longer;
  if (longer != 0) trips.entries[ran / *entries + 1] += longer;
  return trips;
}

/// All copies in one SASS block: it ran as often as the PTX block, or less often by how far a loop
/// was unrolled whole.
BlockGuess read_single(const Anchor& anchor, uint64_t copies, const PtxSide& side,
                       const FunctionCounts& counts) {
  const uint64_t ran = counts.blocks[anchor.ptx_block];
  const bool in_loop = is_in_loop(side.cfg, anchor.ptx_block);
  const uint64_t unrolled = anchor.is_plain && in_loop ? copies : 1;
  BlockGuess guess{.count = ran / unrolled, .is_guess = ran % unrolled != 0};
  const Trips trips = trips_of(side, anchor.ptx_block, counts);
  if (trips.entries.empty() || (trips.is_guess && unrolled != 1)) return guess;
  guess.entered = 0;
  for (const auto& [n, entries] : trips.entries) *guess.entered += n >= unrolled ? entries : 0;
  return guess;
}

uint64_t copies_of(const Anchor& anchor) {
  uint64_t sum = 0;
  for (const auto& [block, copies] : anchor.copies) sum += copies;
  return sum;
}

/// Of the plain anchors of one PTX block, those with the most copies tell how far its loop was
/// unrolled. Others have fewer: one wide access of theirs serves several trips.
void leave_out_merged(std::map<Place, Anchor>& anchors) {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> most;  // by function and PTX block
  for (const auto& [place, anchor] : anchors) {
    uint64_t& copies = most[{place.function, anchor.ptx_block}];
    if (anchor.is_plain) copies = std::max(copies, copies_of(anchor));
  }
  std::erase_if(anchors, [&](const auto& entry) {
    const auto& [place, anchor] = entry;
    return anchor.is_plain && copies_of(anchor) < most.at({place.function, anchor.ptx_block});
  });
}

}  // namespace

std::vector<Anchor> find_anchors(const ptx::Module& module, const KernelWitness& kernel,
                                 const std::map<uint32_t, PtxSide>& sides) {
  const std::vector<uint32_t> block_of = blocks_of(kernel);
  std::set<uint32_t> kept;
  for (const SassAccess& access : kernel.accesses) {
    if (access.access_class == AccessClass::kKept) kept.insert(access.index);
  }
  std::map<Place, Anchor> anchors;
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    const Instruction& instruction = kernel.code[i];
    const Place place = kernel.places[i];
    const bool counts =
        kept.contains(i) || instruction.base() == "BAR" || is_tensor_core(instruction);
    if (!counts || !place.is_statement() || !sides.contains(place.function)) continue;
    Anchor& anchor = anchors[place];
    const ptx::Function& function = module.functions[place.function];
    anchor.place = place;
    anchor.ptx_block = sides.at(place.function).cfg.block_of[place.instruction];
    anchor.is_plain = is_plain(module.spelling(function.instructions[place.instruction]));
    anchor.is_predicated = anchor.is_predicated || !instruction.predicate.empty();
    ++anchor.copies[block_of[i]];
  }
  leave_out_merged(anchors);
  std::vector<Anchor> result;
  for (auto& [place, anchor] : anchors) result.push_back(std::move(anchor));
  return result;
}

std::map<uint32_t, BlockGuess> read_anchor(const Anchor& anchor, const PtxSide& side,
                                           const FunctionCounts& counts) {
  std::map<uint32_t, BlockGuess> found;
  const uint64_t ran = counts.blocks[anchor.ptx_block];
  if (anchor.copies.size() == 1) {
    const auto& [block, copies] = *anchor.copies.begin();
    found[block] = read_single(anchor, copies, side, counts);
    return found;
  }
  if (ran == 0) {
    for (const auto& [block, copies] : anchor.copies) found[block] = {.count = 0};
    return anchor.is_predicated ? std::map<uint32_t, BlockGuess>{} : found;
  }
  const auto sizes = sizes_of(anchor);
  for (size_t i = 1; i < sizes.size(); ++i) {
    if (sizes[i].first == sizes[i - 1].first) return {};  // both arms of a branch, a peeled round
  }
  const Trips trips = trips_of(side, anchor.ptx_block, counts);
  if (trips.entries.empty()) {
    share_greedily(ran, 1, sizes, found);  // as if one entry had run them all
    for (auto& [block, guess] : found) guess = {.count = guess.count, .is_guess = true};
    return found;
  }
  for (const auto& [n, entries] : trips.entries) share_greedily(n, entries, sizes, found);
  for (auto& [block, guess] : found) guess.is_guess = trips.is_guess;
  return found;
}

}  // namespace warpledger::sass
