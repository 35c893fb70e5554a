#include "interpose/capture.h"

#include <algorithm>

namespace warpledger::cuda {
namespace {

Error spoil(Capture& capture, Error error) {
  capture.is_invalid = true;
  return error;
}

void unite(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
  for (Node* node : more) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  }
}

void join(const std::shared_ptr<Capture>& capture, Stream& stream, std::vector<Node*> after) {
  stream.capture = capture;
  capture->ends[stream.id] = std::move(after);
  capture->has_blocking |= (stream.flags & kNonBlocking) == 0;
}

// Every stream's last work must lead to the last work of the stream that began.
bool is_joined(const Capture& capture) {
  const std::vector<Node*>& last = capture.ends.at(capture.origin);
  for (const auto& [stream, nodes] : capture.ends) {
    for (const Node* node : nodes) {
      if (!Graph::leads_to(*node, last)) return false;
    }
  }
  return true;
}

CaptureMode& mode_of_thread() {
  thread_local CaptureMode mode = CaptureMode::kGlobal;
  return mode;
}

bool forbids_unsafe(const Capture& capture, CaptureMode thread_mode) {
  if (thread_mode == CaptureMode::kRelaxed) return false;
  if (capture.thread == std::this_thread::get_id()) return capture.mode != CaptureMode::kRelaxed;
  return thread_mode == CaptureMode::kGlobal && capture.mode == CaptureMode::kGlobal;
}

}  // namespace

Error Captures::begin(Stream& stream, Graph& graph, std::vector<Node*> after, CaptureMode mode,
                      bool owns_graph) {
  if (stream.capture != nullptr) return Error::kIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->graph = &graph;
  capture->id = next_id_++;
  capture->origin = stream.id;
  capture->mode = mode;
  capture->owns_graph = owns_graph;
  active_.push_back(capture);
  join(capture, stream, std::move(after));
  return Error::kNone;
}

void Captures::finish(const std::shared_ptr<Capture>& capture, Timeline& timeline) {
  capture->has_ended = true;
  std::erase(active_, capture);
  timeline.for_each([&](Stream& stream) {
    if (stream.capture == capture) stream.capture = nullptr;
  });
}

Error Captures::end(Stream& stream, Timeline& timeline, std::shared_ptr<Capture>* made) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) return Error::kIllegalState;
  if (capture->origin != stream.id) return spoil(*capture, Error::kCaptureUnmatched);
  if (capture->mode != CaptureMode::kRelaxed && capture->thread != std::this_thread::get_id())
    return spoil(*capture, Error::kCaptureWrongThread);
  const bool is_invalid = capture->is_invalid, joined = is_joined(*capture);
  finish(capture, timeline);
  *made = capture;
  return is_invalid ? Error::kCaptureInvalidated : joined ? Error::kNone : Error::kCaptureUnjoined;
}

std::shared_ptr<Capture> Captures::leave(Stream& stream, Timeline& timeline) {
  const std::shared_ptr<Capture> capture = stream.capture;
  stream.capture = nullptr;
  if (capture == nullptr || capture->origin != stream.id) return nullptr;
  finish(capture, timeline);
  return capture;
}

Error Captures::add(Stream& stream, Work work, Node** made) {
  Capture& capture = *stream.capture;
  if (capture.is_invalid) return Error::kCaptureInvalidated;
  std::vector<Node*>& end = capture.ends[stream.id];
  Node& node = capture.graph->add(std::move(work), end);
  node.device = stream.device;
  end = {&node};
  if (made != nullptr) *made = &node;
  return Error::kNone;
}

Error Captures::record(Event& event, Stream& stream) {
  if (stream.capture->is_invalid) return Error::kCaptureInvalidated;
  event.capture = stream.capture;
  event.nodes = stream.capture->ends[stream.id];
  return Error::kNone;
}

Error Captures::depend(Stream& stream, const std::vector<Node*>& nodes, bool replace) {
  Capture& capture = *stream.capture;
  if (capture.is_invalid) return Error::kCaptureInvalidated;
  std::vector<Node*>& end = capture.ends[stream.id];
  if (replace) end.clear();
  unite(end, nodes);
  return Error::kNone;
}

Error Captures::wait(Stream& stream, const Event& event, bool is_legacy) {
  const std::shared_ptr<Capture> from = event.capture;
  if (from == nullptr || from->has_ended) {
    if (stream.capture != nullptr) return spoil(*stream.capture, Error::kCaptureIsolation);
    return Error::kCapturedEvent;
  }
  if (from->is_invalid) return Error::kCaptureInvalidated;
  if (is_legacy) return spoil(*from, Error::kCaptureImplicit);
  if (stream.capture == nullptr) {
    join(from, stream, event.nodes);
    return Error::kNone;
  }
  if (stream.capture == from) return depend(stream, event.nodes, false);
  spoil(*stream.capture, Error::kCaptureMerge);
  return spoil(*from, Error::kCaptureMerge);
}

Error Captures::check_wait(const Stream& stream) {
  return stream.capture == nullptr ? Error::kNone
                                   : spoil(*stream.capture, Error::kCaptureUnsupported);
}

Error Captures::check_wait(const Event& event) {
  return event.capture == nullptr ? Error::kNone : spoil(*event.capture, Error::kCapturedEvent);
}

Error Captures::check_wait_all() {
  for (const auto& capture : active_) capture->is_invalid = true;
  return active_.empty() ? Error::kNone : Error::kCaptureUnsupported;
}

Error Captures::check_legacy() {
  Error error = Error::kNone;
  for (const auto& capture : active_) {
    if (capture->has_blocking) error = spoil(*capture, Error::kCaptureImplicit);
  }
  return error;
}

Error Captures::check_unsafe() {
  Error error = Error::kNone;
  for (const auto& capture : active_) {
    if (forbids_unsafe(*capture, mode_of_thread()))
      error = spoil(*capture, Error::kCaptureUnsupported);
  }
  return error;
}

CaptureStatus Captures::status(const Stream& stream) {
  if (stream.capture == nullptr) return CaptureStatus::kNone;
  return stream.capture->is_invalid ? CaptureStatus::kInvalidated : CaptureStatus::kActive;
}

CaptureMode Captures::exchange(CaptureMode mode) { return std::exchange(mode_of_thread(), mode); }

Graph* Captures::holder() const {
  for (const auto& capture : active_) {
    if (capture->holds_memory) return capture->graph;
  }
  return nullptr;
}

bool Captures::uses(const Graph* graph) const {
  return std::any_of(active_.begin(), active_.end(),
                     [&](const auto& capture) { return capture->graph == graph; });
}

}  // namespace warpledger::cuda
