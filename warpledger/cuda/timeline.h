// Streams and events. Work is done when it is asked for; a clock of its own says when a GPU would
// have done it. Kernels follow each other on one engine, copies to and from the device on one each;
// work of a stream follows the work before it, and that of the legacy default stream all work.
// Durations of kernels come from the time model; a copy takes its bytes at kCopyBytesPerSecond.
// All of it is modelled; the host's own time is not counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace warpledger::cuda {

inline constexpr double kCopyBytesPerSecond = 25e9;     // PCIe 4.0 x16 as usually seen; assumed
inline constexpr double kDeviceBytesPerSecond = 500e9;  // copies and fills on the device; assumed
inline constexpr double kCopyStartSeconds = 2e-6;       // assumed

/// Recorded work: what a captured stream was asked for, in order.
struct Graph {
  std::vector<std::function<int()>> work;
};

struct Stream {
  double ready = 0;  // seconds: when its last work ends
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::shared_ptr<Graph> capture;  // set while it is captured
};

struct Event {
  double time = 0;
  bool recorded = false;
  unsigned flags = 0;
};

enum class Lane { kKernel, kToDevice, kFromDevice, kOnDevice };

class Timeline {
 public:
  [[nodiscard]] Stream* create(unsigned flags, int priority);
  /// False when it is no stream.
  bool destroy(Stream* stream);
  [[nodiscard]] bool knows(const Stream* stream) const { return streams_.contains(stream); }
  [[nodiscard]] Stream& standard() { return standard_; }

  /// Work of so many seconds on that stream.
  void add(Stream& stream, Lane lane, double seconds);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);

 private:
  [[nodiscard]] double all_ready() const;
  Stream standard_;
  std::map<const Stream*, std::unique_ptr<Stream>> streams_;
  double lanes_[4] = {};
  uint64_t next_id_ = 1;
};

}  // namespace warpledger::cuda
