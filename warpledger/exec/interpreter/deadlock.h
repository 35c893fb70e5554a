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
  [[nodiscard]] Diagnostic take();

 private:
  std::optional<Diagnostic> first_;
  std::vector<std::string> others_;
  size_t left_ = 0;  // beyond those that are told
};

/// A fault that says who waits for whom: the likeliest cause first.
void report_deadlock(Engine& engine, Cta& cta);

}  // namespace warpledger::exec::reference
