// Attempts at the same work, one after another: an attempt that is refused says what else may
// succeed (Diagnostic::fallback), and the caller says which of that it can do, and how.
//
//   bool interpreted = false;
//   return run_with_fallback({{{Fallback::kInterpreter}, [&](const Diagnostic&) {
//                                return interpreted = true;
//                              }}},
//                            [&] { return open(interpreted); });
#pragma once

#include <functional>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger {

/// A way to go on after a refusal.
struct FallbackWay {
  std::vector<Fallback> after;  // the refusals that it answers
  /// Makes the next attempt another one: puts memory back, changes options. False: it cannot.
  std::function<bool(const Diagnostic& refusal)> take;
};

/// Takes the first way that answers the refusal and can be taken. Ways that were tried are gone
/// from the list. False when none is left: the refusal stands.
[[nodiscard]] bool take_way(std::vector<FallbackWay>& ways, const Diagnostic& refusal);

/// Why an attempt did not do its work: its error, or the `fault` that its answer holds. Else null.
template <class Outcome>
requires requires(const Outcome& outcome) { *outcome.fault; }
const Diagnostic* refusal_of(const Outcome& outcome) {
  return outcome.fault ? &*outcome.fault : nullptr;
}
template <class T>
const Diagnostic* refusal_of(const Result<T>& done) {
  if (!done) return &done.error();
  if constexpr (requires { refusal_of(*done); }) return refusal_of(*done);
  return nullptr;
}

/// Calls attempt() until it is not refused or no way is left; each way is taken at most once, so
/// that there are at most ways.size() + 1 attempts. The answer is the last attempt's, also where
/// all fail: the refusals before it were answered by the ways taken, and only the last one is still
/// in the way. What an earlier one said is given to `take`, for who wants to keep it.
template <class Attempt>
auto run_with_fallback(std::vector<FallbackWay> ways, Attempt attempt) -> decltype(attempt()) {
  for (;;) {
    auto done = attempt();
    const Diagnostic* refusal = refusal_of(done);
    if (refusal == nullptr || !take_way(ways, *refusal)) return done;
  }
}

}  // namespace warpledger
