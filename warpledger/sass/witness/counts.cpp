#include "warpledger/sass/witness/counts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/sass/witness/anchors.h"
#include "warpledger/sass/witness/blocks.h"
#include "warpledger/sass/witness/flow.h"
#include "warpledger/sass/witness/loops.h"
#include "warpledger/sass/witness/nearest_flow.h"

namespace warpledger::sass {
namespace {

// What one more or one less execution of an instruction costs where counts contradict each other:
// PTX decided it, or followed from it where loops ran alike, or it is our guess.
constexpr uint64_t kDecided = 64, kGuessed = 8, kUnknown = 1;

class Counter {
 public:
  Counter(const ptx::Module& module, const KernelWitness& kernel, BlockCounts counts)
      : module_(module),
        kernel_(kernel),
        counts_(std::move(counts)),
        flow_(kernel.blocks),
        trust_(kernel.blocks.size(), kUnknown),
        ways_(kernel.blocks) {
    for (auto& [index, function] : counts_.functions) {
      const auto side = sides_.emplace(index, ptx_side(module, module.functions[index])).first;
      function.blocks.resize(side->second.cfg.blocks.size());
      if (!counts_.has_diverged) derive_edges(side->second.cfg, function);
    }
    anchors_ = find_anchors(module, kernel, sides_);
  }

  SassCounts run() {
    enter();
    anchor();
    take_terminators();
    flow_.propagate();
    follow_shares();
    call();
    follow_shares();
    guess_rest();
    check();
    settle();
    return finish();
  }

 private:
  void doubt(std::string why) {
    if (std::find(result_.why_modeled.begin(), result_.why_modeled.end(), why) ==
        result_.why_modeled.end())
      result_.why_modeled.push_back(std::move(why));
  }
  [[nodiscard]] const FunctionCounts& counts_of(uint32_t function) const {
    return counts_.functions.at(function);
  }
  [[nodiscard]] std::string name(uint32_t block) const {
    return fmt::format("the block at {:#x}", kernel_.code[kernel_.blocks[block].first].address);
  }

  void enter(uint32_t block, uint64_t count) {
    flow_.set_entered(block, count);
    entries_[block] = count;
  }
  void set_block(uint32_t block, uint64_t count, uint64_t trust) {
    flow_.set_block(block, count);
    trust_[block] = trust;
  }

  void enter() {
    const auto own = counts_.functions.find(kernel_.function);
    if (own == counts_.functions.end() || own->second.blocks.empty()) {
      doubt("the kernel's own blocks were not counted");
      return;
    }
    enter(0, own->second.blocks[0]);
    for (const SassFunction& function : kernel_.functions) {
      if (function.first == 0) continue;
      entries_[block_at(kernel_, function.first)].reset();
      flow_.open_entry(block_at(kernel_, function.first));
    }
    // A warp that has diverged before a shuffle takes another way: a branch of ptxas's own.
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const Instruction& last = kernel_.code[kernel_.blocks[b].end - 1];
      if (!last.target || !(last.has("DIV") || last.has("CONV"))) continue;
      for (const uint32_t next : kernel_.blocks[b].successors)
        if (kernel_.code[kernel_.blocks[next].first].address == *last.target) never_take(b, next);
      if (counts_.has_diverged) doubt("diverged warps take branches that PTX does not have");
    }
  }

  void never_take(uint32_t from, uint32_t to) {
    flow_.set_edge(from, to, 0);
    std::erase(ways_[from].successors, to);
    std::erase(ways_[to].predecessors, from);
  }

  void repeat(uint32_t block, uint64_t count) {
    flow_.set_edge(block, block, count);
    told_.edges[{block, block}] = {count, trust_[block] * length(block)};
  }
  [[nodiscard]] uint64_t length(uint32_t block) const {
    return kernel_.blocks[block].end - kernel_.blocks[block].first;
  }

  /// Steps 1 and 2. A block with several PTX blocks runs as often as the one that ran most: the
  /// others became predicates.
  void anchor() {
    std::map<uint32_t, BlockGuess> best;
    for (const Anchor& anchor : anchors_) {
      const uint32_t function = anchor.place.function;
      for (const auto& [block, guess] :
           read_anchor(anchor, sides_.at(function), counts_of(function))) {
        const auto [found, fresh] = best.try_emplace(block, guess);
        if (!fresh && guess.count > found->second.count) found->second = guess;
      }
    }
    for (auto& [block, guess] : best) {
      if (const auto most = most_runs(block); most && guess.count > *most) {
        // A loop that ptxas unrolled whole, and of which it kept fewer copies than trips.
        guess = {.count = *most};
      }
      set_block(block, guess.count, guess.is_guess ? kGuessed : kDecided);
      if (guess.is_guess)
        doubt(fmt::format("{} is an unrolled loop whose trips were not counted", name(block)));
      const std::vector<uint32_t>& next = kernel_.blocks[block].successors;
      const bool loops = std::find(next.begin(), next.end(), block) != next.end();
      if (loops && guess.entered && *guess.entered <= guess.count)
        repeat(block, guess.count - *guess.entered);
    }
  }

  /// A block of the kernel itself that no way leads back to runs once for each warp at most.
  [[nodiscard]] std::optional<uint64_t> most_runs(uint32_t block) const {
    const auto own = counts_.functions.find(kernel_.function);
    if (own == counts_.functions.end() || own->second.blocks.empty()) return {};
    const bool is_inside =
        kernel_.functions.empty() || kernel_.blocks[block].first < kernel_.functions.front().end;
    if (!is_inside || runs_again(kernel_.blocks, block)) return {};
    return own->second.blocks[0];
  }
  /// Step 3: a block without anchor that ends in the last instruction of a PTX block, and is alone
  /// in that, ran as often.
  void take_terminators() {
    const bool one_exit = has_one_exit(kernel_);
    std::map<Place, std::vector<uint32_t>> ends;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const uint32_t last = kernel_.blocks[b].end - 1;
      const Place place = kernel_.places[last];
      const std::string base = kernel_.code[last].base();
      if (base != "BRA" && (base != "EXIT" || !one_exit)) continue;
      if (!sides_.contains(place.function)) continue;
      const ptx::Cfg& cfg = sides_.at(place.function).cfg;
      if (!place.is_statement() || !kernel_.blocks[b].is_reachable) continue;
      if (cfg.blocks[cfg.block_of[place.instruction]].end == place.instruction + 1)
        ends[place].push_back(b);
    }
    for (const auto& [place, blocks] : ends) {
      if (blocks.size() != 1 || flow_.block(blocks[0])) continue;
      const ptx::Cfg& cfg = sides_.at(place.function).cfg;
      set_block(blocks[0], counts_of(place.function).blocks[cfg.block_of[place.instruction]],
                kDecided);
    }
  }

  /// How often the PTX function of that name ran; nothing where there is none.
  [[nodiscard]] std::optional<uint64_t> runs_in_ptx(std::string_view name) const {
    const ptx::Function* found = ptx_function(module_, kernel_, name);
    if (found == nullptr) return {};
    const auto index = static_cast<uint32_t>(found - module_.functions.data());
    const auto counted = counts_.functions.find(index);
    if (counted == counts_.functions.end() || counted->second.blocks.empty()) return {};
    return counted->second.blocks[0];
  }

  /// A call under a predicate is made as often as was seen.
  [[nodiscard]] std::optional<uint64_t> calls_known(const SassFunction& function) const {
    const auto share = counts_.shares.find(block_at(kernel_, function.first));
    uint64_t sum = 0;
    bool is_sure = true;
    for (const uint32_t call : calls_of(kernel_, function)) {
      const auto ran = flow_.block(block_at(kernel_, call));
      if (!ran) return {};
      is_sure = is_sure && (kernel_.code[call].predicate.empty() || *ran == 0);
      sum += *ran;
    }
    if (is_sure) return sum;
    if (share == counts_.shares.end()) return {};
    return scaled(sum, share->second);
  }
  static uint64_t scaled(uint64_t runs, double share) {
    return static_cast<uint64_t>(std::llround(share * static_cast<double>(runs)));
  }

  /// What PTX does not tell, as it was seen.
  void follow_shares() {
    for (const auto& [block, share] : counts_.shares) {
      if (flow_.block(block)) continue;
      const auto before = runs_before(block);
      if (!before) continue;
      doubt("the frequency of slow paths comes from a few sampled blocks");
      set_block(block, scaled(*before, share), kGuessed);
      flow_.propagate();
    }
  }
  [[nodiscard]] std::optional<uint64_t> runs_before(uint32_t block) const {
    uint64_t sum = 0;
    for (const uint32_t before : blocks_before(kernel_, block)) {
      const auto ran = flow_.block(before);
      if (!ran) return {};
      sum += *ran;
    }
    return sum;
  }

  /// Subroutines run as often as the blocks that call them; where calls name no function, as often
  /// as in PTX, whose lanes part and meet elsewhere.
  void call() {
    const bool by_pointer = calls_by_pointer(kernel_.code);
    for (const SassFunction& function : kernel_.functions) {
      if (function.first == 0) continue;
      if (by_pointer) doubt(fmt::format("{} may be called by pointer", function.name));
      if (const auto runs = by_pointer ? runs_in_ptx(function.name) : std::nullopt) {
        enter(block_at(kernel_, function.first), *runs);
        flow_.propagate();
        continue;
      }
      const auto calls = calls_known(function);
      if (!calls) doubt(fmt::format("it is not known how often {} was called", function.name));
      if (!calls && flow_.block(block_at(kernel_, function.first))) continue;
      enter(block_at(kernel_, function.first), calls.value_or(0));
      flow_.propagate();
    }
  }

  /// What the law leaves open: slow ways of ptxas's own (a division of denormals) are taken to run
  /// never, other blocks as often as the PTX block of most of their lines.
  void guess_rest() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (flow_.block(b)) continue;
      doubt(fmt::format("cannot tell how often {} ran", name(b)));
      const uint64_t lines = most_of_lines(b);
      flow_.set_block(b,
                      makes_calls(kernel_, b) ? 0 : std::min(lines, most_runs(b).value_or(lines)));
      flow_.propagate();
    }
  }
  [[nodiscard]] uint64_t most_of_lines(uint32_t block) const {
    const bool one_exit = has_one_exit(kernel_);
    uint64_t most = 0;
    for (uint32_t i = kernel_.blocks[block].first; i < kernel_.blocks[block].end; ++i) {
      const Place place = kernel_.places[i];
      if (!place.is_statement() || !sides_.contains(place.function)) continue;
      if (!one_exit && kernel_.code[i].base() == "EXIT") continue;
      const ptx::Cfg& cfg = sides_.at(place.function).cfg;
      most = std::max(most, counts_of(place.function).blocks[cfg.block_of[place.instruction]]);
    }
    return most;
  }

  /// Step 4.
  void check() {
    for (const uint32_t block : flow_.violations())
      doubt(fmt::format("the flow into {} does not equal the flow out of it", name(block)));
    for (const Anchor& anchor : anchors_) {
      if (!anchor.is_plain || anchor.is_predicated) continue;
      uint64_t ran = 0;
      for (const auto& [block, copies] : anchor.copies)
        ran += copies * flow_.block(block).value_or(0);
      if (ran != counts_of(anchor.place.function).blocks[anchor.ptx_block])
        doubt(fmt::format("PTX instruction {} and its SASS ran different numbers of times",
                          anchor.place.instruction));
    }
  }

  /// Step 5. Anchors that contradict each other give way to the law, those of fewer instructions
  /// first. Lanes that part break the law, and so does a branch that may lead anywhere.
  void settle() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      settled_.push_back(flow_.block(b).value_or(0));
    const bool is_open = std::any_of(ways_.begin(), ways_.end(), [](const SassBlock& block) {
      return block.has_unknown_successors && block.is_reachable;
    });
    if (flow_.violations().empty() || counts_.has_diverged || is_open || entries_.empty()) return;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      told_.blocks.push_back({settled_[b], trust_[b] * length(b)});
    if (auto nearest = nearest_flow(ways_, told_, entries_)) settled_ = std::move(*nearest);
  }

  SassCounts finish() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const uint64_t count = settled_[b];
      result_.blocks.push_back(count);
      for (uint32_t i = kernel_.blocks[b].first; i < kernel_.blocks[b].end && count != 0; ++i)
        result_.opcodes[kernel_.code[i].opcode] += count;
      result_.total += count * (kernel_.blocks[b].end - kernel_.blocks[b].first);
    }
    if (!result_.why_modeled.empty()) result_.fidelity = Fidelity::kModeled;
    return std::move(result_);
  }

  const ptx::Module& module_;
  const KernelWitness& kernel_;
  BlockCounts counts_;
  std::map<uint32_t, PtxSide> sides_;
  std::vector<Anchor> anchors_;
  Flow flow_;
  Entries entries_;
  Estimates told_;
  std::vector<uint64_t> trust_;    // in the count of each block, by instruction
  std::vector<SassBlock> ways_;    // that warps take
  std::vector<uint64_t> settled_;  // the counts that are told
  SassCounts result_;
};

}  // namespace

std::map<std::string, uint64_t> SassCounts::by_base() const {
  std::map<std::string, uint64_t> bases;
  for (const auto& [opcode, count] : opcodes) bases[opcode.substr(0, opcode.find('.'))] += count;
  return bases;
}

SassCounts count_sass(const ptx::Module& module, const KernelWitness& kernel,
                      const BlockCounts& counts) {
  return Counter(module, kernel, counts).run();
}

}  // namespace warpledger::sass
