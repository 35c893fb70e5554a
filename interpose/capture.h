// Stream capture: while a stream is captured, work asked of it becomes nodes of a graph. A capture
// is a set of streams, each with the nodes that its next one will depend on. Recording an event
// keeps that set; a stream that waits for the event joins with it. What would make the capture
// depend on work outside of it, or wait for what does not run yet, is refused and makes the capture
// invalid, as CUDA documents it.
#pragma once

#include <map>
#include <thread>

#include "interpose/error.h"
#include "interpose/graph.h"
#include "interpose/timeline.h"

namespace warpledger::cuda {

enum class CaptureMode { kGlobal, kThreadLocal, kRelaxed };  // the numbers of CUDA
enum class CaptureStatus { kNone, kActive, kInvalidated };   // likewise

class Capture {
 public:
  Graph* graph = nullptr;
  uint64_t id = 0;
  uint64_t origin = 0;  // the stream that began it
  CaptureMode mode = CaptureMode::kGlobal;
  std::thread::id thread = std::this_thread::get_id();
  bool owns_graph = true;  // which nobody else has before the end
  bool is_invalid = false, has_ended = false;
  bool holds_memory = false;                    // that is allocated while it goes on
  bool has_blocking = false;                    // a stream that the legacy stream waits for
  std::map<uint64_t, std::vector<Node*>> ends;  // by stream: what its next node depends on
  std::vector<uint64_t> edge_data = {};         // lent to who asks for the dependencies: zeros
};

class Captures {
 public:
  /// Nodes go to `graph`; the first of them depends on `after`.
  [[nodiscard]] Error begin(Stream& stream, Graph& graph, std::vector<Node*> after,
                            CaptureMode mode, bool owns_graph);
  /// Every stream leaves. The capture that ended is in `made`, also where it failed; null where it
  /// goes on: ended by another stream, or another thread.
  [[nodiscard]] Error end(Stream& stream, Timeline& timeline, std::shared_ptr<Capture>* made);
  /// A stream that is destroyed: with the one that began it the capture ends.
  /// What ended is returned.
  std::shared_ptr<Capture> leave(Stream& stream, Timeline& timeline);

  /// Pre: the stream is captured.
  [[nodiscard]] Error add(Stream& stream, Work work, Node** made = nullptr);
  [[nodiscard]] Error record(Event& event, Stream& stream);
  [[nodiscard]] Error depend(Stream& stream, const std::vector<Node*>& nodes, bool replace);
  /// Pre: the stream is captured, or the event was recorded in a capture.
  [[nodiscard]] Error wait(Stream& stream, const Event& event, bool is_legacy);

  /// What the host may not do now: wait for that stream, that event, everything.
  [[nodiscard]] Error check_wait(const Stream& stream);
  [[nodiscard]] Error check_wait(const Event& event);
  [[nodiscard]] Error check_wait_all();
  /// Work of the legacy stream, which would wait for the streams of a capture.
  [[nodiscard]] Error check_legacy();
  /// Calls that a graph would not repeat, as cudaMalloc().
  [[nodiscard]] Error check_unsafe();

  [[nodiscard]] static CaptureStatus status(const Stream& stream);
  /// The mode of this thread until now.
  static CaptureMode exchange(CaptureMode mode);
  [[nodiscard]] bool uses(const Graph* graph) const;
  /// The graph that holds what is allocated now; null where none does.
  [[nodiscard]] Graph* holder() const;

 private:
  void finish(const std::shared_ptr<Capture>& capture, Timeline& timeline);
  std::vector<std::shared_ptr<Capture>> active_;
  uint64_t next_id_ = 1;
};

}  // namespace warpledger::cuda
