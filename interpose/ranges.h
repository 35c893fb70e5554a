// The parts of a program that are profiled: between cudaProfilerStart and Stop, and inside NVTX
// ranges, as ncu's --profile-from-start, --nvtx-include and --range-filter say. Knows nothing of
// launches: whoever sees one asks. One per process, since programs open ranges before they touch
// a device; calls may come from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interpose/nvtx_filter.h"

namespace warpledger::cuda {

/// ncu's [yes|no]:[start/stop instances]:[NVTX instances], counted from 1; each an expression.
struct RangeFilter {
  bool counts_anew = false;  // NVTX instances, in every start/stop range
  std::optional<profile::KernelPattern> windows = {};
  std::optional<profile::KernelPattern> nvtx = {};
};
struct SettingsFile;

/// Fails with "bad-range-filter".
[[nodiscard]] Result<RangeFilter> parse_range_filter(const std::string& text);

struct RangeSelection {
  bool from_start = true;  // before the first cudaProfilerStart too
  bool heeds_profiler_calls = true;
  std::vector<NvtxFilter> include = {};  // one of them, where there are any
  std::vector<NvtxFilter> exclude = {};  // none of them
  RangeFilter instances = {};
};

/// Fails on an expression that is none.
[[nodiscard]] Result<RangeSelection> ranges_of(const SettingsFile& settings);

class Ranges {
 public:
  /// That of the process, which asks for what its settings say. Where they cannot be read, nothing
  /// runs anyway (Core).
  static Ranges& get();

  void select(RangeSelection selection);
  void start_profiler();
  void stop_profiler();
  /// Return what NVTX returns: the depth of the range in its stack, from 0; negative without one.
  int push(const std::string& domain, const std::string& name);
  int pop(const std::string& domain);
  /// A range that any thread may end.
  uint64_t start(const std::string& domain, const std::string& name);
  void end(uint64_t range);

  /// Whether a kernel that this thread launches now is profiled.
  [[nodiscard]] bool wants_launch();

 private:
  struct ThreadState {
    std::map<std::string, std::vector<std::string>> pushed = {};  // by domain
    bool is_inside = false;                                       // of what `include` asks for
    uint64_t instance = 0;                                        // which one
  };
  struct Started {
    std::string domain, name;
  };
  ThreadState& of_this_thread() { return threads_[std::this_thread::get_id()]; }
  [[nodiscard]] OpenDomains open_in(const ThreadState& thread) const;
  void follow(ThreadState& thread);

  std::mutex mutex_;
  RangeSelection selection_;
  std::map<std::thread::id, ThreadState> threads_;
  std::map<uint64_t, Started> started_;
  uint64_t next_ = 1;       // range of start()
  uint64_t instances_ = 0;  // of what `include` asks for, so far
  bool is_on_ = true;
  uint64_t window_ = 0;  // of cudaProfilerStart: the number of this one; 0: none yet
};

}  // namespace warpledger::cuda
