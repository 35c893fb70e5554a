// What a person at a terminal sees while a program runs: a line for each launch that was profiled,
// as ncu prints it, and one that comes and goes while a launch takes long. Standard error is
// written by the thread that launches, and by one of our own while a launch lasts.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "warpledger/profile/sampling/sampling_options.h"

namespace warpledger::cuda {

class LaunchProgress {
 public:
  /// `terminal`: lines as above; `verbose`: a line for each profiled launch in any case.
  LaunchProgress(bool terminal, bool verbose) : terminal_(terminal), verbose_(verbose) {}

  void begin(const std::string& kernel);
  /// The launch that began is profiled, as number so and so. What to tell how far it is.
  [[nodiscard]] profile::Progress profiling(uint64_t number);
  void note_compiling(double seconds) { compile_seconds_ = seconds; }
  void end(bool failed);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string subject() const;
  void watch();
  void draw(Clock::time_point now);
  void print_end(bool failed, double seconds);

  bool terminal_, verbose_;
  std::mutex mutex_;
  bool watched_ = false;  // the thread runs
  bool busy_ = false;     // a launch does
  bool drawn_ = false;    // there is a line to erase
  std::string kernel_;
  std::optional<uint64_t> number_;  // of a profiled launch
  double share_ = 0;                // of its blocks
  double compile_seconds_ = 0;
  uint64_t launches_ = 0;  // since the last line
  Clock::time_point begun_ = {}, last_line_ = Clock::now();
};

}  // namespace warpledger::cuda
