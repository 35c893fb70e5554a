// The inputs of formulas (term.h): sums over memory instructions, counters of the L2 and of DRAM,
// machine instructions, facts of the GPU. Each knows its words, its value and what every
// instruction added to it.
#pragma once

#include "warpledger/profile/metrics/term.h"

namespace warpledger::profile {

/// Which memory instructions a sum runs over.
struct Selection {
  std::string words = {};  // "global loads"
  std::function<bool(const trace::Site&)> keep;
};

[[nodiscard]] Selection accesses(trace::Space space);
[[nodiscard]] Selection accesses(trace::Space space, Operation operation);
/// Of textures or surfaces.
[[nodiscard]] Selection texel_accesses(trace::Space space, trace::Effect effect);
/// What goes through the tags of the L1.
[[nodiscard]] Selection l1_accesses();
/// What the SMs ask of the L2: all of it, or one class.
[[nodiscard]] Selection l2_accesses();
[[nodiscard]] Selection l2_accesses(L2Class what);
/// The same without what the texture unit asks for.
[[nodiscard]] Selection lsu_l2_accesses(L2Class what);

/// What one memory instruction counted.
using SiteCount = uint64_t (*)(const trace::Site&, const memory::SiteCounters&);

/// What a count of texture accesses rests on, and so how far it can be trusted (evidence.h).
enum class Rests : uint8_t { kOnCode, kOnRequests, kOnPlaces };

/// The sum of `count` over the selection: "`what` of `which`".
[[nodiscard]] Term sum_over(const Selection& which, const char* what, SiteCount count,
                            Fidelity fidelity, Rests rests = Rests::kOnPlaces);

// The usual counts. Exact:
[[nodiscard]] Term requests_of(const Selection& which);
[[nodiscard]] Term sectors_of(const Selection& which);
[[nodiscard]] Term tag_wavefronts_of(const Selection& which);
[[nodiscard]] Term wavefronts_of(const Selection& which);
[[nodiscard]] Term ideal_wavefronts_of(const Selection& which);
// Modeled:
[[nodiscard]] Term l1_hits_of(const Selection& which);
[[nodiscard]] Term l2_requests_of(const Selection& which);
[[nodiscard]] Term l2_partial_requests_of(const Selection& which);
[[nodiscard]] Term l2_sectors_of(const Selection& which);
[[nodiscard]] Term l2_hits_of(const Selection& which);
[[nodiscard]] Term l2_promoted_of(const Selection& which);

/// Work of the load/store unit; what passes it without an access is no instruction's.
[[nodiscard]] Term lsu(const char* name, uint64_t LsuWork::*field);

/// A counter of the L2 or of DRAM as a whole. `count`: what a memory instruction had of it, null
/// where that is not known; the remainder is `rest`.
[[nodiscard]] Term counter(const char* name, uint64_t (*total)(const memory::Counters&),
                           SiteCount count, const char* rest = "");

/// Machine instructions, by the PTX instruction that they were made of; none without machine code.
[[nodiscard]] Term machine_instructions();
/// A count of the machine code; none without it.
[[nodiscard]] Value of_machine(const Evidence& evidence, uint64_t Machine::*count);
/// A count that the profile keeps for each PTX instruction.
[[nodiscard]] Shares by_line(const Evidence& evidence, uint64_t CodeLine::*count);

/// A fact of the GPU: 0 is none.
[[nodiscard]] Term fact(std::string name, std::function<double(const Gpu&)> value);

/// What is no combination of counters: a function, and what it computes in words.
[[nodiscard]] Term computed(std::string words, std::function<Value(const Evidence&)> value);

}  // namespace warpledger::profile
