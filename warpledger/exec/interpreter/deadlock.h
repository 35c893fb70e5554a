// When no warp of a cluster can go on.
#pragma once

#include <optional>

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// Gives up every wait for an mbarrier in the cluster of `cta`: each answers false. False when
/// there is none.
bool time_out(Engine& engine, Cta& cta);

/// What has happened in the cluster that may have let somebody go on.
[[nodiscard]] uint64_t events_of(Engine& engine, Cta& cta);

/// Who waits for whom, in the words of one fault: the first that is added, the others in the hint.
class WaitReport {
 public:
  void add(const Context& context, const Step& step, const Fragment& fragment,
           const std::string& text, const char* code);
  /// Of a fragment that waits, in the words of its kind of wait.
  void add(const Context& context, const Fragment& fragment);
  [[nodiscard]] Diagnostic take();

 private:
  std::optional<Diagnostic> first_;
  std::vector<std::string> others_;
  size_t left_ = 0;  // beyond those that are told
};

/// The kinds of waits, the likeliest cause of a deadlock first: lanes that wait for lanes are the
/// cause where there are any, barriers then wait for them.
inline constexpr Fragment::Wait kWaits[] = {Fragment::Wait::kLanes,   Fragment::Wait::kPhase,
                                            Fragment::Wait::kColumns, Fragment::Wait::kProducts,
                                            Fragment::Wait::kCluster, Fragment::Wait::kBarrier};

/// Whether the step is executed again when such a wait may end: for an mbarrier, columns of tensor
/// memory, a cluster or products of the warpgroup.
[[nodiscard]] constexpr bool waits_again(Fragment::Wait wait) {
  return wait == Fragment::Wait::kPhase || wait == Fragment::Wait::kColumns ||
         wait == Fragment::Wait::kCluster || wait == Fragment::Wait::kProducts;
}

/// In vain, before a standstill is a deadlock.
inline constexpr uint32_t kQuietRounds = 64;

/// A fault that says who waits for whom: the likeliest cause first.
void report_deadlock(Engine& engine, Cta& cta);

}  // namespace warpledger::exec::reference
