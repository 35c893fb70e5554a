#include "warpledger/profile/run/races.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "warpledger/base/number.h"
#include "warpledger/ptx/module.h"

namespace warpledger::profile {
namespace {

using trace::Space;

constexpr size_t kMostShown = 5;  // paragraphs of text

std::string access_of(const trace::Site& site) {
  switch (effect_of(site)) {
    case trace::Effect::kRead:
      return "read";
    case trace::Effect::kWrite:
      return "write";
    case trace::Effect::kUpdate:
      return "atomic";
  }
  return "read";
}

exec::Extent extent_of(uint64_t linear, const std::array<uint32_t, 3>& size) {
  return {static_cast<uint32_t>(linear % size[0]),
          static_cast<uint32_t>(linear / size[0] % size[1]),
          static_cast<uint32_t>(linear / size[0] / size[1])};
}

RaceSide side_of(const race::Party& party, const RacePlaces& places) {
  const trace::Site& site = (*places.launch.sites)[party.site];
  const CodeLine& code = places.code[site.instruction];
  return {.access = access_of(site),
          .source = code.source,
          .ptx_line = code.ptx_line,
          .block = extent_of(party.block, places.launch.grid),
          .thread = extent_of(party.thread, places.launch.block)};
}

/// "BlockReduce(float)::smem" is "smem".
std::string short_name(const std::string& mangled) {
  const std::string name = shown_name(mangled);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// The variable that starts last before the byte; dynamic shared memory has no size of its own.
void name_shared(const RacePlaces& places, RacePair& pair) {
  uint64_t nearest = 0;
  for (const auto& [variable, place] : places.layout.places) {
    if (place.where != exec::KernelLayout::Where::kShared || place.offset > pair.offset) continue;
    const ptx::Variable& found = places.module.variables[variable];
    const bool holds = found.bytes() == 0 || pair.offset < place.offset + found.bytes();
    if (!holds || (!pair.name.empty() && place.offset < nearest)) continue;
    nearest = place.offset;
    pair.name = short_name(std::string(found.name));
  }
  if (!pair.name.empty()) pair.offset -= nearest;
}

void name_global(const RacePlaces& places, RacePair& pair) {
  for (const NamedRange& range : places.ranges) {
    if (pair.offset < range.address || pair.offset >= range.address + range.bytes) continue;
    pair.name = range.name;
    pair.offset -= range.address;
    return;
  }
}

RacePair pair_of(const race::Race& race, const RacePlaces& places) {
  RacePair pair{.hazard = std::string(to_text(race.hazard)),
                .space = race.space,
                .offset = race.address,
                .first = side_of(race.first, places),
                .second = side_of(race.second, places),
                .count = race.count};
  race.space == Space::kShared ? name_shared(places, pair) : name_global(places, pair);
  return pair;
}

/// Where a line is not known, the PTX's.
auto line_key(const RaceSide& side) {
  return std::tuple(side.source, side.source.line == 0 ? side.ptx_line : 0u);
}

std::string place_text(const RaceSide& side) {
  const std::string line = to_text(side.source);
  return line.empty() ? fmt::format("PTX line {}", side.ptx_line) : line;
}

std::string thread_text(const RaceSide& side) {
  return fmt::format("thread ({},{},{}) of block ({},{},{})", side.thread[0], side.thread[1],
                     side.thread[2], side.block[0], side.block[1], side.block[2]);
}

std::string memory_text(const RacePair& pair) {
  const std::string of = pair.name.empty() ? "" : fmt::format(" of '{}'", pair.name);
  return fmt::format("byte {}{} in {} memory", pair.offset, of, trace::to_text(pair.space));
}

std::string missing_order(const RacePair& pair) {
  return pair.first.block == pair.second.block ? "with no barrier between them"
                                               : "from two blocks that nothing orders";
}

std::string side_text(const RaceSide& side) {
  return fmt::format("  {:<6} by {} at {}\n", side.access, thread_text(side), place_text(side));
}

}  // namespace

std::string why_unchecked(const ptx::Module& module, const exec::KernelLayout& layout,
                          const exec::Extent& cluster) {
  if (cluster[0] * cluster[1] * cluster[2] > 1) return "blocks of a cluster share memory";
  for (const uint32_t index : layout.functions) {
    for (const ptx::Instruction& instruction : module.functions[index].instructions) {
      const ptx::Spelling& spelling = module.spelling(instruction);
      const bool object = spelling.opcode().memory == ptx::MemoryKind::kBarrierObject;
      const bool hopper = spelling.tier() == ptx::Tier::kHopper &&
                          spelling.opcode().family == ptx::Family::kAsyncCopy;
      if (!object && !hopper) continue;
      return fmt::format("threads wait for '{}', PTX line {}", spelling.text,
                         module.source->locate(instruction.span).line);
    }
  }
  return "";
}

std::vector<RacePair> describe_races(const race::Report& report, const RacePlaces& places) {
  std::vector<RacePair> pairs;
  for (const race::Race& race : report.races) {
    RacePair pair = pair_of(race, places);
    const auto same = std::find_if(pairs.begin(), pairs.end(), [&](const RacePair& other) {
      return other.space == pair.space &&
             std::minmax(line_key(other.first), line_key(other.second)) ==
                 std::minmax(line_key(pair.first), line_key(pair.second));
    });
    if (same == pairs.end()) {
      pairs.push_back(std::move(pair));
    } else {
      same->count += pair.count;
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const RacePair& a, const RacePair& b) { return a.count > b.count; });
  return pairs;
}

namespace {

/// Of a word of global memory only so many touches are kept: counts there are lower bounds.
std::string count_text(const RacePair& pair) {
  const std::string count = group_thousands(static_cast<int64_t>(pair.count));
  return pair.space == trace::Space::kGlobal ? "at least " + count : count;
}

}  // namespace

std::string to_text(const RaceCheck& races) {
  std::string text;
  for (size_t i = 0; i < std::min(races.found.size(), kMostShown); ++i) {
    const RacePair& pair = races.found[i];
    text += fmt::format("Race: two threads touch {} {}\n", memory_text(pair), missing_order(pair));
    text += side_text(pair.first) + side_text(pair.second);
    text += fmt::format("  {} hazard, {} accesses in {} checked block{} (exact)\n", pair.hazard,
                        count_text(pair), group_thousands(static_cast<int64_t>(races.blocks)),
                        races.blocks == 1 ? "" : "s");
  }
  if (races.found.size() > kMostShown)
    text += fmt::format("{} more pairs of lines race; --json lists them\n",
                        races.found.size() - kMostShown);
  if (races.global && races.found.empty()) {
    text +=
        fmt::format("No races in {}global memory ({} blocks)\n", races.shared ? "shared and " : "",
                    group_thousands(static_cast<int64_t>(races.blocks)));
  }
  if (races.global && !races.unchecked.empty())
    text += fmt::format("Races: shared memory is not checked, {}\n", races.unchecked);
  if (races.left_alone > 0) {
    text += fmt::format(
        "Races: in {} of {} blocks not checked after a barrier that only part of a warp reached\n",
        races.left_alone, races.blocks);
  }
  return text;
}

Table table_of(const RaceCheck& races) {
  Table table{.title = "Races",
              .columns = {{"hazard", "hazard"},
                          {"memory", "memory"},
                          {"first", "first"},
                          {"second", "second"},
                          {"accesses", "count", Align::kRight}}};
  for (const RacePair& pair : races.found) {
    const auto side = [](const RaceSide& one) {
      return fmt::format("{} at {} by {}", one.access, place_text(one), thread_text(one));
    };
    table.rows.push_back(
        {.cells = {pair.hazard, memory_text(pair), side(pair.first), side(pair.second),
                   Cell(count_text(pair), static_cast<int64_t>(pair.count), Fidelity::kExact)}});
  }
  return table;
}

}  // namespace warpledger::profile
