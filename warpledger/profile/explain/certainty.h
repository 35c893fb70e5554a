// How sure an explanation is: the fidelity of its counts, the error that times of published reports
// had, and what this error leaves open: then the launch should be measured.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/kind.h"

namespace warpledger::profile {

struct Certainty {
  Fidelity counts = Fidelity::kExact;  // requests, sectors, wavefronts, conflicts
  bool is_sampled = false;
  double median_error = 0, high_error = 0;  // of time, 0..1; high: the 90th percentile
  double spread = 0;                        // of the difference of two launches of a kind
  uint32_t reports = 0;                     // that they come from
  const KindError* kind = nullptr;          // of these (advice/kind.h); null: all kinds
  std::vector<std::string> measure = {};    // why to measure; empty: no need
};

/// Pre: `findings` are find(profile).
[[nodiscard]] Certainty certainty_of(const Profile& profile, const std::vector<Finding>& findings);

/// The error of modeled times against published reports of the launch's kind, of all kinds where
/// there are few; nothing where none was compared.
[[nodiscard]] Certainty published_error(const Profile& profile);

}  // namespace warpledger::profile
