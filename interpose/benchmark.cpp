#include "interpose/benchmark.h"

#include <algorithm>

#include "warpledger/base/check.h"

namespace warpledger::cuda {

bool Benchmarks::end() {
  WL_CHECK(is_on());
  const bool needed = open_.back().needs_values;
  open_.pop_back();
  if (open_.empty()) known_.clear();
  return needed;
}

void Benchmarks::end_checks() {
  WL_CHECK(is_checking());
  --checks_;
}

bool Benchmarks::computes_values() const {
  return std::ranges::any_of(open_, [](const Open& one) { return one.purpose.computes_values; });
}

// What an outer one did may be what is missing, so that all of them run again.
void Benchmarks::need_values() {
  for (Open& one : open_) one.needs_values = true;
}

const TimedLaunch* Benchmarks::find(const std::string& key) const {
  const auto found = known_.find(key);
  return key.empty() || found == known_.end() ? nullptr : &found->second;
}

void Benchmarks::keep(const std::string& key, TimedLaunch launch) {
  if (!key.empty()) known_[key] = std::move(launch);
}

}  // namespace warpledger::cuda
