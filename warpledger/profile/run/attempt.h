// One attempt at a run, where the caller wants it: in this process, or in a cell (cell/), from
// which it comes back as text. What comes out of a cell is not trusted: it is read as a file would
// be.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/profile/run/plan.h"

namespace warpledger::profile {

struct Attempt {
  Profile profile;
  std::optional<CacheTrace> trace = {};
  std::vector<exec::BadAccess> bad_accesses = {};
};

/// `work`'s answer. In a cell it must call plan.lock_cell() before the kernel runs.
[[nodiscard]] Result<Attempt> run_attempt(const Plan& plan,
                                          const std::function<Result<Attempt>()>& work);

// What a cell answers with, and how it is read.
[[nodiscard]] std::string pack(const Result<Attempt>& made, const RunStatistics* statistics);
/// `statistics`: null: nobody asked.
[[nodiscard]] Result<Attempt> unpack(const std::string& text, RunStatistics* statistics);

}  // namespace warpledger::profile
