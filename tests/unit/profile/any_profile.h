// Profiles made up without running anything: consistent counters, any kinds of instruction.
#pragma once

#include "tests/support/law.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile::testing {

using warpledger::testing::Rng;

/// Read once: laws ask for the same few a hundred times.
inline const Gpu& gpu_named(const std::string& name) {
  static std::map<std::string, Gpu> known;
  if (!known.contains(name)) {
    const Result<Gpu> gpu = find_gpu(name);
    EXPECT_TRUE(gpu.ok());
    known.emplace(name, *gpu);
  }
  return known.at(name);
}

/// An empty launch of 64 blocks of 256 threads.
inline Profile plain_profile(const char* gpu = "rtx3090") {
  Profile profile;
  profile.version = "0";
  profile.file = "k.cu";
  profile.source_folder = "/src/";
  profile.kernel = "k";
  profile.gpu_request = gpu;
  profile.gpu = gpu_named(gpu);
  profile.engine = "interpreted";
  profile.launch.grid = {64, 1, 1};
  profile.launch.block = {256, 1, 1};
  profile.launch.registers_per_thread = 32;
  profile.resources = {.registers = 32, .fidelity = Fidelity::kExact, .source = "given"};
  profile.statistics = *launch_statistics(profile.gpu, profile.launch);
  profile.execution = {.ctas = 64, .warps = 512, .warp_instructions = 5120};
  return profile;
}

/// Adds a memory instruction on a line of its own and gives back its counters.
inline memory::SiteCounters& add_access(Profile& profile, trace::Space space, trace::Kind kind,
                                        const std::string& array = "", uint8_t width = 4) {
  const auto number = static_cast<uint32_t>(profile.code.size());
  profile.code.push_back({.text = "ld.global.f32 %f1, [%rd1];",
                          .pipe = Pipe::kLsu,
                          .ptx_line = 10 + number,
                          .source = {"k.cu", 1 + number}});
  Instruction instruction;
  instruction.site = {.instruction = number, .space = space, .kind = kind, .width = width};
  if (!array.empty()) instruction.arrays = {array};
  profile.instructions.push_back(instruction);
  return profile.counters.sites.emplace_back();
}

/// Counters of `requests` requests that keep all inequalities of the real ones.
inline memory::SiteCounters any_counters(Rng& rng, trace::Space space) {
  memory::SiteCounters c;
  c.request.requests = static_cast<uint64_t>(rng.between(0, 100 * rng.size()));
  const uint64_t n = c.request.requests;
  const auto times = [&](int64_t low, int64_t high) {
    return n * static_cast<uint64_t>(rng.between(low, high));
  };
  c.request.instructions = n + static_cast<uint64_t>(rng.between(0, 5));
  c.request.lanes = times(1, 32);
  c.request.ideal_wavefronts = n;
  c.request.data_wavefronts = times(1, 32);
  c.request.words = times(1, 32);
  if (space == trace::Space::kShared) return c;
  c.request.ideal_sectors = times(1, 4);
  c.request.theoretical_sectors = c.request.ideal_sectors + times(0, 4);
  c.request.sectors = c.request.theoretical_sectors;
  c.request.tags = n;
  c.tag_wavefronts = n;
  c.l1_hit_sectors = c.request.sectors / 3;
  c.l2_sectors = c.request.sectors - c.l1_hit_sectors;
  c.l2_requests = (c.l2_sectors + 3) / 4;
  c.l2_hit_sectors = c.l2_sectors / 2;
  c.dram_read_sectors = c.l2_sectors - c.l2_hit_sectors;
  return c;
}

/// The unit totals that belong to the sites.
inline void add_up(Profile& profile) {
  memory::Counters& all = profile.counters;
  all.l2 = {};
  all.dram = {};
  for (size_t i = 0; i < all.sites.size(); ++i) {
    const memory::SiteCounters& c = all.sites[i];
    const trace::Kind kind = profile.instructions[i].site.kind;
    const bool writes = kind == trace::Kind::kStore;
    const bool updates = kind == trace::Kind::kAtomic || kind == trace::Kind::kReduction;
    (writes    ? all.l2.write_sectors
     : updates ? all.l2.atomic_sectors
               : all.l2.read_sectors) += c.l2_sectors;
    (writes    ? all.l2.write_hits
     : updates ? all.l2.atomic_hits
               : all.l2.read_hits) += c.l2_hit_sectors;
    all.dram.read_sectors += c.dram_read_sectors;
  }
  all.dram.write_sectors = all.l2.write_sectors / 2;
}

/// Warp states of a kernel of so many PTX instructions, and of what was made for none of them.
inline sm::States any_states(Rng& rng, size_t instructions) {
  sm::States states{.cycles = 4000, .active_cycles = 3500};
  states.issued = static_cast<double>(rng.between(1, 10'000));
  states.eligible = states.issued;
  states.instructions.resize(instructions + 1);
  for (sm::InstructionStates& one : states.instructions) {
    const auto reason = static_cast<size_t>(rng.between(0, sm::kReasons - 1));
    one.cycles[reason] = static_cast<double>(rng.between(0, 1000));
    states.warps[reason] += one.cycles[reason];
    if (one.cycles[reason] > 0 && rng.coin()) one.waited_for = static_cast<uint32_t>(instructions);
  }
  return states;
}

/// One to eight digits of the text are others.
inline std::string with_damaged_digits(std::string text, Rng& rng) {
  for (int64_t i = rng.between(1, 8); i > 0; --i) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(text.size()) - 1));
    const size_t digit = text.find_first_of("0123456789", at);
    if (digit != std::string::npos) text[digit] = static_cast<char>('0' + rng.between(0, 9));
  }
  return text;
}

inline Profile any_profile(Rng& rng) {
  using trace::Kind;
  using trace::Space;
  const std::vector<const char*> gpus = {"rtx3090", "a100", "t4", "h100-sxm", "v100"};
  Profile profile = plain_profile(rng.pick(gpus));
  const std::vector<std::pair<Space, Kind>> choices = {
      {Space::kGlobal, Kind::kLoad},      {Space::kGlobal, Kind::kStore},
      {Space::kGlobal, Kind::kReduction}, {Space::kGlobal, Kind::kAtomic},
      {Space::kLocal, Kind::kLoad},       {Space::kLocal, Kind::kStore},
      {Space::kShared, Kind::kLoad},      {Space::kShared, Kind::kStore},
      {Space::kTexture, Kind::kLoad},     {Space::kSurface, Kind::kStore}};
  for (int64_t i = rng.between(1, 1 + rng.size() / 5); i > 0; --i) {
    const auto [space, kind] = rng.pick(choices);
    const std::string array = rng.coin() ? "a" : "b";
    add_access(profile, space, kind, space == Space::kGlobal ? array : "") =
        any_counters(rng, space);
    profile.instructions.back().is_spill = space == Space::kLocal && rng.coin();
  }
  profile.resources.live_registers = rng.between(0, 32);
  profile.examples = {{.instruction = 0, .mask = 0b101, .address = {64, 0, 128}}};
  profile.arrays = {{"a", 4096}, {"b", 8192}};
  add_up(profile);
  if (rng.coin()) profile.other_orders.push_back(profile.counters);
  if (rng.coin()) profile.states = any_states(rng, profile.code.size());
  if (profile.states && rng.coin())
    profile.awaited = {.source = {"k.cu", 7}, .share = 0.25, .cycles = 3000};
  if (rng.coin()) profile.sampled = {.simulated = 7, .counted = 3, .exact_seconds = 1.5};
  if (rng.coin()) profile.prefix = {.modeled = 7, .counted = 30, .exact_seconds = 1.5};
  return profile;
}

}  // namespace warpledger::profile::testing
