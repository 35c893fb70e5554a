#include "warpledger/profile/run/spills.h"

#include <algorithm>
#include <cmath>

#include "warpledger/memory/pattern.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile {
namespace {

using sass::AccessClass;
using sass::AccessKind;

std::vector<uint64_t> executions_of(const Program& program) {
  std::vector<uint64_t> executions;
  for (const ProgramBlock& block : program)
    executions.insert(executions.end(), block.code.size(), block.executions);
  return executions;
}

bool is_spill(const sass::SassAccess& access) {
  return access.access_class == AccessClass::kSpill ||
         access.access_class == AccessClass::kCalleeSave;
}

trace::Site site_of(const sass::SassAccess& access, uint32_t number) {
  return {
      .instruction = number,
      .space = trace::Space::kLocal,
      .kind = access.access.kind == AccessKind::kStore ? trace::Kind::kStore : trace::Kind::kLoad,
      .width = static_cast<uint8_t>(std::max<uint32_t>(4, access.access.width))};
}

uint64_t part_of(uint64_t whole, double share) {
  return static_cast<uint64_t>(std::llround(share * static_cast<double>(whole)));
}

/// Of `times` executions with all lanes on. `hits`: the share of sectors that the L1 holds.
memory::SiteCounters counters_of(const trace::Site& site, uint64_t times, double hits) {
  memory::Pattern one =
      memory::pattern_of(site, {.mask = 0xFFFFFFFF, .width = site.width, .address = {}}, 0);
  memory::SiteCounters counters;
  memory::each_request_counter([=](uint64_t& sum, uint64_t each) { sum = times * each; },
                               counters.request, one.cost);
  counters.tag_wavefronts = times * memory::tag_wavefronts({&one, 0});
  const memory::RequestCounters& asked = counters.request;
  counters.l1_hit_sectors = part_of(asked.sectors, hits);
  const bool is_store = site.kind == trace::Kind::kStore;
  counters.l2_requests = is_store ? asked.tags : asked.tags - part_of(asked.tags, hits);
  counters.l2_sectors = is_store ? asked.sectors : asked.sectors - counters.l1_hit_sectors;
  counters.l2_hit_sectors = counters.l2_sectors;
  return counters;
}

double share_in_l1(const sass::KernelWitness& kernel, const memory::Config& config,
                   const Profile& profile) {
  const double threads = static_cast<double>(volume(profile.launch.block)) * config.ctas_per_sm;
  const double frames = threads * kernel.frame_bytes.value_or(0);
  return frames > 0 ? std::min(1.0, static_cast<double>(config.l1_bytes) / frames) : 1;
}

void append(const trace::Site& site, const memory::SiteCounters& spill,
            memory::Counters& counters) {
  counters.sites.push_back(spill);
  const bool is_store = site.kind == trace::Kind::kStore;
  memory::L2Counters& l2 = counters.l2;
  (is_store ? l2.write_sectors : l2.read_sectors) += spill.l2_sectors;
  (is_store ? l2.write_hits : l2.read_hits) += spill.l2_hit_sectors;
}

}  // namespace

void add_spills(const sass::KernelWitness& kernel, const memory::Config& config, Profile& profile) {
  const std::vector<uint64_t> executions = executions_of(profile.program);
  const std::vector<uint32_t> numbers = nearest_numbers(profile);
  const double hits = share_in_l1(kernel, config, profile);
  for (const sass::SassAccess& access : kernel.accesses) {
    const uint64_t times = executions[access.index];
    if (!is_spill(access) || times == 0) continue;
    const trace::Site site = site_of(access, numbers[access.index]);
    profile.instructions.push_back({.site = site, .fate = "spilled registers", .is_spill = true});
    append(site, counters_of(site, times, hits), profile.counters);
  }
  for (memory::Counters& other : profile.other_orders) copy_spills(profile, other);
}

void copy_spills(const Profile& from, memory::Counters& to) {
  for (size_t i = to.sites.size(); i < from.instructions.size(); ++i)
    append(from.instructions[i].site, from.counters.sites[i], to);
}

}  // namespace warpledger::profile
