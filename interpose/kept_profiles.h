// Profiles of launches that were seen before, in an earlier run of the program or in this one: a
// launch with the same code, shape, arguments and memory is only run, not modeled again.
#pragma once

#include <optional>

#include "interpose/settings.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/store/store.h"

namespace warpledger::cuda {

class KeptProfiles {
 public:
  /// Of memory that a launch may read: more than this is not looked through, and nothing is kept.
  static constexpr uint64_t kMostBytes = uint64_t{256} << 20;

  /// Nothing is found or kept where the settings forbid it or no store can be opened.
  explicit KeptProfiles(const Settings& settings);

  /// What the profile of this launch follows from; empty: it is not to be kept. Taken before the
  /// launch runs. Pre: `memory` holds all that the kernel may read.
  [[nodiscard]] std::string key_of(const profile::Request& launch,
                                   const exec::DeviceMemory& memory) const;
  [[nodiscard]] std::optional<profile::Profile> find(const std::string& key);
  void keep(const std::string& key, const profile::Profile& profile);

 private:
  const Settings& settings_;
  std::optional<store::Store> store_;
};

}  // namespace warpledger::cuda
