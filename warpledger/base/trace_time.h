// Times of a slice in Chrome's trace format: microseconds. Readers keep whole nanoseconds, so begin
// and end are rounded one by one: rounded as begin and duration, neighbors would overlap by one,
// and Perfetto drops a slice that overlaps the one before it.
#pragma once

#include <cmath>

namespace warpledger {

struct TraceTime {
  double begin = 0, duration = 0;
};

[[nodiscard]] inline TraceTime trace_time(double begin_seconds, double end_seconds) {
  const double begin = std::round(1e9 * begin_seconds), end = std::round(1e9 * end_seconds);
  return {begin / 1e3, (end - begin) / 1e3};
}

inline constexpr int kTraceSchemaVersion = 1;  // docs/schema/trace.json

/// The number of the first row of a trace. Perfetto takes row 0 for the idle thread, and one with
/// its process's number for the main thread.
inline constexpr int kFirstTraceRow = 100;

}  // namespace warpledger
