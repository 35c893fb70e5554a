// Benchmarks: stretches of a program in which launches are made for their durations, as do_bench
// and autotuners make them. Such a launch goes through the models once, without values and, where
// it is long, by a part of its blocks (launch_benchmark.cpp). What it writes is not computed:
// memory stays as it was, and is poison (exec/memory/poison.h) until the benchmark ends. A launch
// or copy that would need poison tells that the benchmark cannot be timed so; it is then run again,
// computing values.
//
// A duration is remembered until the outermost benchmark ends.
//
// Some autotuners also launch each configuration to compile it and to compare its results. Such
// launches are checks: they compute values, and are neither timed nor shown.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace warpledger::cuda {

struct Purpose {
  std::string text = "benchmark";  // for the report: "trial BLOCK: 64, num_warps: 4"
  bool is_trial = false;           // an autotuner's, one of several configurations
  bool computes_values = false;
};

/// A launch whose duration is known.
struct TimedLaunch {
  double seconds = 0;
  std::string profile = {};  // the report's name; "": not reported
};

class Benchmarks {
 public:
  /// One that begins inside another is part of it.
  void begin(Purpose purpose) { open_.push_back({std::move(purpose)}); }
  /// Whether values were needed that nobody computed: what was measured does not hold.
  /// Pre: is_on().
  bool end();

  [[nodiscard]] bool is_on() const { return !open_.empty(); }
  [[nodiscard]] bool computes_values() const;
  /// Of the innermost. Pre: is_on().
  [[nodiscard]] const Purpose& purpose() const { return open_.back().purpose; }
  /// Whether a launch is an autotuner's and none of the program's own: a trial, or one that checks.
  [[nodiscard]] bool is_trial() const { return is_on() ? purpose().is_trial : checks_ > 0; }

  /// Launches outside of benchmarks are an autotuner's for now, which looks at what they compute.
  void begin_checks() { ++checks_; }
  /// Pre: is_checking().
  void end_checks();
  [[nodiscard]] bool is_checking() const { return checks_ > 0; }

  void need_values();
  [[nodiscard]] bool needs_values() const { return is_on() && open_.back().needs_values; }

  /// Null: not known. An empty key is never known.
  [[nodiscard]] const TimedLaunch* find(const std::string& key) const;
  void keep(const std::string& key, TimedLaunch launch);

 private:
  struct Open {
    Purpose purpose;
    bool needs_values = false;
  };
  std::vector<Open> open_;
  std::unordered_map<std::string, TimedLaunch> known_;
  size_t checks_ = 0;
};

}  // namespace warpledger::cuda
