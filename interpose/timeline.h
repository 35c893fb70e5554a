// Streams and events. Work is done when it is asked for; a clock of its own says when a GPU would
// have done it. On each device kernels follow each other on one engine, copies to and from it on
// one each; work of a stream follows the work before it, and that of a device's legacy default
// stream all work of the device. Durations of kernels come from the time model; a copy takes its
// bytes at kCopyBytesPerSecond. All of it is modeled. The host takes no time of its own, but it
// waits: what it asks for after it waited begins after what it waited for, on every device and
// whichever of its threads waited.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interpose/devices.h"

namespace warpledger::cuda {

class Capture;
struct Node;

inline constexpr double kCopyBytesPerSecond = 25e9;     // PCIe 4.0 x16 as usually seen; assumed
inline constexpr double kDeviceBytesPerSecond = 500e9;  // copies and fills on the device; assumed
inline constexpr double kCopyStartSeconds = 2e-6;       // assumed
inline constexpr unsigned kNonBlocking = 1;             // cudaStreamNonBlocking

struct Stream {
  double ready = 0;  // seconds: when its last work ends
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  int device = 0;
  bool is_of_graph = false;               // a node's own clock: no stream of the program's
  std::shared_ptr<Capture> capture = {};  // set while it is captured
};

struct Event {
  double time = 0;
  bool recorded = false;
  unsigned flags = 0;
  int device = 0;
  std::shared_ptr<Capture> capture = {};  // set when it was last recorded in one
  std::vector<Node*> nodes = {};          // which it stands for there
};

/// The engines of a device; the launch of a graph takes none itself, its nodes do.
enum class Lane { kKernel, kToDevice, kFromDevice, kOnDevice, kPeer, kGraphLaunch };
inline constexpr size_t kLanes = 5;  // that are engines

/// Work on the clock.
struct Span {
  std::string name = {};
  Lane lane = Lane::kKernel;
  uint64_t stream = 0;  // 0: the standard one
  double begin = 0, seconds = 0;
  int device = 0;
  bool is_of_graph = false;  // a node's: on no stream
  std::string profile = {};  // of a kernel that was profiled: its name in the report (report.h)
};

class Timeline {
 public:
  /// Of the current device, as are events.
  [[nodiscard]] Stream* create(unsigned flags, int priority);
  /// False if it is not a stream.
  bool destroy(Stream* stream);
  [[nodiscard]] bool knows(const Stream* stream) const { return streams_.contains(stream); }
  /// The default stream of the current device.
  [[nodiscard]] Stream& standard() { return engines_[Devices::current()].standard; }
  [[nodiscard]] bool is_standard(const Stream& stream) const;
  /// The stream that a CUstream or cudaStream_t means: none, the legacy one and the thread's own
  /// are the standard one. Null if it is not a stream.
  [[nodiscard]] Stream* find(const void* handle);
  void for_each(const std::function<void(Stream&)>& visit);

  [[nodiscard]] Event* create_event(unsigned flags);
  /// False if it is not an event. Graphs that record it keep it alive.
  bool destroy_event(const Event* event) { return events_.erase(event) != 0; }
  /// Null if it is not an event.
  [[nodiscard]] std::shared_ptr<Event> event(const Event* event) const;

  /// Work of so many seconds on that stream.
  void add(Stream& stream, Lane lane, double seconds, const std::string& name,
           const std::string& profile = {});
  /// A graph's work from `begin` until the stream is ready: its nodes have been added.
  void add_graph_launch(const Stream& stream, double begin, const std::string& name);
  /// Is told of all work from now on.
  void watch(std::function<void(const Span&)> watcher) { watcher_ = std::move(watcher); }
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);
  /// When work that is asked for now on that stream may begin at the earliest.
  [[nodiscard]] double start(const Stream& stream) const;

  /// The host waits.
  void synchronize(const Stream& stream);
  void synchronize(const Event& event);
  void synchronize(int device);

 private:
  struct Engines {
    Stream standard;
    double lanes[kLanes] = {};
  };
  [[nodiscard]] static std::array<Engines, kMostDevices> made_engines();
  [[nodiscard]] double all_ready(int device) const;
  std::map<const Stream*, std::unique_ptr<Stream>> streams_;
  std::map<const Event*, std::shared_ptr<Event>> events_;
  std::array<Engines, kMostDevices> engines_ = made_engines();
  double host_ = 0;  // what the host has waited for has ended by then
  uint64_t next_id_ = 1;
  std::function<void(const Span&)> watcher_ = {};
};

}  // namespace warpledger::cuda
