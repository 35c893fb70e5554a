#include "warpledger/profile/metrics/inputs.h"

#include <fmt/core.h>

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Effect;
using trace::Site;
using trace::Space;

template <class Keep, class Count>
Shares shares_of(const Evidence& e, Keep keep, Count count) {
  Shares shares(e.profile.code.size());
  for (size_t i = 0; i < e.counters.sites.size(); ++i) {
    const Site& site = e.profile.instructions[i].site;
    if (keep(site) && site.instruction < shares.size())
      shares[site.instruction] += static_cast<double>(count(site, e.counters.sites[i]));
  }
  return shares;
}

const char* words_of(Space space) {
  return space == Space::kGlobal ? "global" : space == Space::kLocal ? "local" : "shared";
}
const char* words_of(Effect effect) {
  return effect == Effect::kRead ? "loads" : effect == Effect::kWrite ? "stores" : "reductions";
}

/// The fidelity of a count with that part of it which the instruction has.
Fidelity with_part(Fidelity fidelity, const Instruction& instruction, Rests rests) {
  if (is_mapped(instruction)) return weakest(fidelity, Fidelity::kModeled);
  if (rests == Rests::kOnCode || !passes_texture_unit(instruction.site)) return fidelity;
  return weakest(fidelity, rests == Rests::kOnPlaces ? placed_as(instruction) : Fidelity::kModeled);
}
const char* words_of(Operation operation) {
  switch (operation) {
    case Operation::kLoad:
      return "loads";
    case Operation::kStore:
      return "stores";
    case Operation::kReduction:
      return "reductions";
    case Operation::kAtomic:
      return "atomics";
    case Operation::kCopy:
      return "asynchronous copies";
  }
  return "";
}

const char* words_of(L2Class what) {
  constexpr const char* kWords[] = {"reads", "writes", "reductions", "atomics",
                                    "compare-and-swaps"};
  return kWords[static_cast<size_t>(what)];
}

}  // namespace

Selection accesses(Space space) {
  return {fmt::format("{} accesses", words_of(space)), [space](const Site& site) {
            return site.space == space && operation_of(site).has_value();
          }};
}

Selection accesses(Space space, Operation operation) {
  return {fmt::format("{} {}", words_of(space), words_of(operation)),
          [=](const Site& site) { return site.space == space && operation_of(site) == operation; }};
}

Selection texel_accesses(Space space, Effect effect) {
  const std::string words =
      space == Space::kTexture ? "texture fetches" : fmt::format("surface {}", words_of(effect));
  return {words,
          [=](const Site& site) { return site.space == space && effect_of(site) == effect; }};
}

Selection l1_accesses() { return {"all accesses", passes_l1_tags}; }

Selection l2_accesses() { return {"all requests of the SMs", trace::is_far}; }

Selection l2_accesses(L2Class what) {
  return {words_of(what), [what](const Site& site) { return l2_class_of(site) == what; }};
}

Selection lsu_l2_accesses(L2Class what) {
  return {words_of(what), [what](const Site& site) {
            return l2_class_of(site) == what && !passes_texture_unit(site);
          }};
}

Term sum_over(const Selection& which, const char* what, SiteCount count, Fidelity fidelity,
              Rests rests) {
  const auto keep = which.keep;
  return Input{.name = fmt::format("{} of {}", what, which.words),
               .value =
                   [=](const Evidence& e) {
                     uint64_t sum = 0;
                     Fidelity trusted = fidelity;
                     for (size_t i = 0; i < e.counters.sites.size(); ++i) {
                       const Instruction& instruction = e.profile.instructions[i];
                       const Site& site = instruction.site;
                       const uint64_t part = keep(site) ? count(site, e.counters.sites[i]) : 0;
                       if (part != 0) trusted = with_part(trusted, instruction, rests);
                       sum += part;
                     }
                     return Value{.raw = static_cast<int64_t>(sum), .fidelity = trusted};
                   },
               .shares = [=](const Evidence& e) { return shares_of(e, keep, count); }};
}

Term requests_of(const Selection& which) {
  return sum_over(
      which, "requests", [](const Site&, const SiteCounters& c) { return c.request.requests; },
      Fidelity::kExact, Rests::kOnRequests);
}
Term sectors_of(const Selection& which) {
  return sum_over(
      which, "sectors", [](const Site&, const SiteCounters& c) { return c.request.sectors; },
      Fidelity::kExact);
}
Term tag_wavefronts_of(const Selection& which) {
  return sum_over(
      which, "tag wavefronts", [](const Site&, const SiteCounters& c) { return c.tag_wavefronts; },
      Fidelity::kExact);
}
Term wavefronts_of(const Selection& which) {
  return sum_over(
      which, "wavefronts",
      [](const Site&, const SiteCounters& c) { return c.request.data_wavefronts; },
      Fidelity::kExact);
}
Term ideal_wavefronts_of(const Selection& which) {
  return sum_over(
      which, "wavefronts without conflicts",
      [](const Site&, const SiteCounters& c) { return c.request.ideal_wavefronts; },
      Fidelity::kExact);
}
Term l1_hits_of(const Selection& which) {
  return sum_over(
      which, "sectors found in the L1",
      [](const Site&, const SiteCounters& c) { return c.l1_hit_sectors; }, Fidelity::kModeled);
}
Term l2_requests_of(const Selection& which) {
  return sum_over(
      which, "L2 requests", [](const Site&, const SiteCounters& c) { return c.l2_requests; },
      Fidelity::kModeled);
}
Term l2_partial_requests_of(const Selection& which) {
  return sum_over(
      which, "L2 requests with a partially written sector",
      [](const Site&, const SiteCounters& c) { return c.l2_partial_requests; }, Fidelity::kModeled);
}
Term l2_sectors_of(const Selection& which) {
  return sum_over(
      which, "L2 sectors", [](const Site&, const SiteCounters& c) { return c.l2_sectors; },
      Fidelity::kModeled);
}
Term l2_hits_of(const Selection& which) {
  return sum_over(
      which, "sectors found in the L2",
      [](const Site&, const SiteCounters& c) { return c.l2_hit_sectors; }, Fidelity::kModeled);
}
Term l2_promoted_of(const Selection& which) {
  return sum_over(
      which, "sectors fetched along with misses",
      [](const Site&, const SiteCounters& c) { return c.l2_promoted_sectors; }, Fidelity::kModeled);
}

Term lsu(const char* name, uint64_t LsuWork::*field) {
  return Input{.name = name,
               .value = [field](const Evidence& e) { return modeled(lsu_work(e).*field); },
               .shares =
                   [field](const Evidence& e) {
                     const auto all = [](const Site&) { return true; };
                     return shares_of(e, all, [field](const Site& site, const SiteCounters& c) {
                       return lsu_work_of(site, c).*field;
                     });
                   },
               .rest = "shuffles, reads of threadIdx, instructions with all lanes off"};
}

Term counter(const char* name, uint64_t (*total)(const memory::Counters&), SiteCount count,
             const char* rest) {
  Input input{.name = name,
              .value = [total](const Evidence& e) { return modeled(total(e.counters)); },
              .rest = rest};
  if (count != nullptr)
    input.shares = [count](const Evidence& e) { return shares_of(e, trace::is_far, count); };
  return input;
}

Value of_machine(const Evidence& e, uint64_t Machine::*count) {
  if (!e.profile.machine) return not_modeled();
  const Machine& machine = *e.profile.machine;
  return {.raw = static_cast<int64_t>(machine.*count), .fidelity = machine.fidelity};
}

Shares by_line(const Evidence& e, uint64_t CodeLine::*count) {
  Shares shares;
  for (const CodeLine& line : e.profile.code) shares.push_back(static_cast<double>(line.*count));
  return shares;
}

Term machine_instructions() {
  return Input{.name = "machine instructions",
               .value = [](const Evidence& e) { return of_machine(e, &Machine::instructions); },
               .shares = [](const Evidence& e) { return by_line(e, &CodeLine::issued); },
               .rest = "machine instructions of no PTX instruction"};
}

Term fact(std::string name, std::function<double(const Gpu&)> value) {
  return Input{.name = std::move(name),
               .value =
                   [value = std::move(value)](const Evidence& e) {
                     const double number = value(e.profile.gpu);
                     if (number == 0) return not_modeled();
                     return Value{.raw = number, .fidelity = Fidelity::kPublished};
                   },
               .is_factor = true};
}

Term computed(std::string words, std::function<Value(const Evidence&)> value) {
  return Input{.name = std::move(words), .value = std::move(value)};
}

}  // namespace warpledger::profile
