// What a file is, by its text; and the launches in it that a -k pattern chooses.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/ncu/report.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::match {

enum class Kind {
  kPlan,      // a tile program
  kProfile,   // one or more profiles: JSON, or an .ncu-rep file of ours
  kLedger,    // any other JSON
  kHardware,  // everything else: a report of ncu, or nothing we know
};

/// A tile program begins with the word `program`, comments aside.
[[nodiscard]] Kind kind_of(const Source& source);

/// The launches whose name matches, in order; "": all. Fails with "unknown-kernel" when there is
/// none. Pre: the file is of that kind.
[[nodiscard]] Result<std::vector<profile::Profile>> chosen_profiles(const Source& source,
                                                                    const std::string& pattern);
[[nodiscard]] Result<std::vector<ncu::Launch>> chosen_launches(const Source& source,
                                                               const std::string& pattern);

}  // namespace warpledger::match
