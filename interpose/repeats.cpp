#include "interpose/repeats.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpledger::cuda {
namespace {

constexpr double kAlike = 0.02;

/// Splitmix64's last steps.
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Engines leave out what a kernel never calls: what did not run does not count.
void add(ExecutedCounts& sum, size_t number, uint64_t executions, uint64_t lanes) {
  if (executions == 0) return;
  sum.warp_instructions += executions;
  sum.thread_instructions += lanes;
  sum.hash += mixed(mixed(mixed(number + 1) + executions) + lanes);
}

double distance(const ExecutedCounts& a, const ExecutedCounts& b) {
  return std::abs(static_cast<double>(a.warp_instructions) -
                  static_cast<double>(b.warp_instructions));
}

}  // namespace

ExecutedCounts counts_of(const std::vector<exec::InstructionCount>& counts) {
  ExecutedCounts sum;
  for (size_t i = 0; i < counts.size(); ++i) add(sum, i, counts[i].executions, counts[i].lanes);
  return sum;
}

ExecutedCounts counts_of(const profile::Profile& profile) {
  ExecutedCounts sum;
  for (size_t i = 0; i < profile.code.size(); ++i)
    add(sum, i, profile.code[i].executions, profile.code[i].lanes);
  return sum;
}

Measures measures_of(const profile::Profile& profile) {
  Measures all = {profile.timing ? profile.timing->elapsed_cycles : 0};
  for (const memory::SiteCounters& site : profile.counters.sites)
    all[1] += static_cast<double>(site.request.sectors);
  all[2] = static_cast<double>(profile.counters.l2.lookups());
  const memory::DramCounters& dram = profile.counters.dram;
  all[3] = static_cast<double>(dram.read_sectors + dram.write_sectors);
  return all;
}

bool are_alike(const Measures& a, const Measures& b) {
  const auto within = [](double x, double y, double whole) {
    return std::abs(x - y) <= kAlike * whole;
  };
  const double sectors = std::max(a[1], b[1]);
  return within(a[0], b[0], std::max(a[0], b[0])) && within(a[1], b[1], sectors) &&
         within(a[2], b[2], std::max({a[2], b[2], sectors})) &&
         within(a[3], b[3], std::max({a[3], b[3], sectors}));
}

LaunchGroup::Answer LaunchGroup::next(const std::vector<std::byte>& params, bool fixed,
                                      bool reported) const {
  const ModeledLaunch* known = nullptr;
  bool any = false;
  for (const ModeledLaunch& one : modeled_) {
    if (reported && one.profile.empty()) continue;
    any = true;
    if (fixed && one.params == params) known = &one;
  }
  if (known != nullptr) return {Way::kProven, known};
  return {any && !is_due() ? Way::kCount : Way::kModel};
}

bool LaunchGroup::is_due() const {
  if (!may_model()) return false;
  if (missed_ || std::has_single_bit(launches_)) return true;
  if (agreed_ >= kSettled) return false;
  return is_varied_ || modeled_.size() < kFirstModels;
}

bool LaunchGroup::is_worth_modeling(const ExecutedCounts& counts, bool reported) const {
  const ModeledLaunch* near = nearest(counts, reported);
  if (near == nullptr || !may_model() || modeled_.size() < kFirstModels) return may_model();
  return distance(near->counts, counts) > kNear * static_cast<double>(counts.warp_instructions);
}

const ModeledLaunch* LaunchGroup::find(const std::vector<std::byte>& params,
                                       const ExecutedCounts& counts, bool reported) const {
  const ModeledLaunch* found = nullptr;
  bool same = false;
  for (const ModeledLaunch& one : modeled_) {
    if (one.counts != counts || (reported && one.profile.empty())) continue;
    if (same && one.params != params) continue;
    found = &one;
    same = one.params == params;
  }
  return found;
}

const ModeledLaunch* LaunchGroup::nearest(const ExecutedCounts& counts, bool reported) const {
  const ModeledLaunch* found = nullptr;
  for (const ModeledLaunch& one : modeled_) {
    if (reported && one.profile.empty()) continue;
    if (found == nullptr || distance(one.counts, counts) < distance(found->counts, counts))
      found = &one;
  }
  return found;
}

const ModeledLaunch* LaunchGroup::find_alike(const ModeledLaunch& launch, bool reported) const {
  const ModeledLaunch* found = nullptr;
  for (const ModeledLaunch& one : modeled_) {
    if (one.counts != launch.counts || (reported && one.profile.empty())) continue;
    if (are_alike(one.measures, launch.measures)) found = &one;
  }
  return found;
}

void LaunchGroup::add(ModeledLaunch launch, bool agrees) {
  ++launches_;
  missed_ = false;
  agreed_ = agrees ? agreed_ + 1 : 0;
  for (const ModeledLaunch& one : modeled_)
    is_varied_ |= one.counts == launch.counts && !are_alike(one.measures, launch.measures);
  modeled_.push_back(std::move(launch));
}

}  // namespace warpledger::cuda
