// One line on a terminal that says how far a long run is and how long it will take; erased at the
// end. Nothing if standard error is not a terminal, or with --quiet.
#pragma once

#include <chrono>
#include <string>

#include "cli/terminal/session.h"

namespace warpledger::cli {

/// "[#######             ] 35 %, 12 s left"; `seconds`: since the start.
[[nodiscard]] std::string progress_text(uint64_t done, uint64_t all, double seconds);

class ProgressLine {
 public:
  explicit ProgressLine(const Session& session);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool is_on() const { return on_; }
  void show(uint64_t done, uint64_t all) const;

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  bool on_;
  Clock::time_point begun_ = Clock::now();
  mutable Clock::time_point shown_ = begun_;
  mutable bool drawn_ = false;
};

}  // namespace warpledger::cli
