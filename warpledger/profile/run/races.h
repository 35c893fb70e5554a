// Races in a profile's words: lines, threads, variables. What a race is says race/race.h.
#pragma once

#include <span>

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"
#include "warpledger/profile/sampling/probe.h"
#include "warpledger/race/race.h"

namespace warpledger::profile {

/// Why the kernel's shared memory cannot be checked; "" when it can. Threads that wait for
/// mbarriers or clusters are ordered in ways that the streams do not show.
[[nodiscard]] std::string why_unchecked(const ptx::Module& module, const exec::KernelLayout& layout,
                                        const exec::Extent& cluster);

/// What names a race's places.
struct RacePlaces {
  const ptx::Module& module;
  const exec::KernelLayout& layout;
  const trace::Launch& launch;
  std::span<const NamedRange> ranges;  // of device memory
  std::span<const CodeLine> code;
};

/// One entry for each pair of lines, the most frequent first.
[[nodiscard]] std::vector<RacePair> describe_races(const race::Report& report,
                                                   const RacePlaces& places);

/// A paragraph for each race, and what was not checked. "" when there is neither, unless global
/// memory was asked for too.
[[nodiscard]] std::string to_text(const RaceCheck& races);
/// The same as a table.
[[nodiscard]] Table table_of(const RaceCheck& races);

}  // namespace warpledger::profile
