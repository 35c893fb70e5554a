// Stream and event calls: performed at once, or recorded by a capture.
#include "interpose/core.h"

namespace warpledger::cuda {

Error Core::submit(Stream& stream, Work work) {
  // Copies may be asked of another device's stream, kernels not.
  if (std::holds_alternative<KernelWork>(work) && stream.device != Devices::current())
    return Error::kInvalidHandle;
  if (stream.capture != nullptr) {
    const Error error = validate(work);
    return error != Error::kNone ? error : captures_.add(stream, std::move(work));
  }
  if (timeline_.is_standard(stream)) {
    if (const Error error = captures_.check_legacy(); error != Error::kNone) return error;
  }
  return run(work, stream);
}

Error Core::copy(uint64_t to, uint64_t from, uint64_t bytes, Stream& stream) {
  return submit(stream, CopyWork{.to = to, .from = from, .width = bytes});
}

Error Core::wait(Stream& stream, const std::shared_ptr<Event>& event, bool is_external) {
  if (event == nullptr) return Error::kInvalidHandle;
  if (stream.capture != nullptr && is_external) return submit(stream, WaitWork{event});
  const bool is_outside = event->capture == nullptr;
  // An event that was never recorded has nothing to wait for.
  if (is_outside && (stream.capture == nullptr || !event->recorded))
    return timeline_.wait(stream, *event), Error::kNone;
  return captures_.wait(stream, *event, timeline_.is_standard(stream));
}

Error Core::record(const std::shared_ptr<Event>& event, Stream& stream, bool is_external) {
  if (event == nullptr || event->device != stream.device) return Error::kInvalidHandle;
  if (stream.capture != nullptr && !is_external) return captures_.record(*event, stream);
  return submit(stream, RecordWork{event});
}

Error Core::synchronize(Stream& stream) {
  Error error = captures_.check_wait(stream);
  if (error == Error::kNone && timeline_.is_standard(stream)) error = captures_.check_legacy();
  if (error == Error::kNone) timeline_.synchronize(stream);
  return error;
}

Error Core::synchronize(const Event& event) {
  const Error error = captures_.check_wait(event);
  if (error == Error::kNone) timeline_.synchronize(event);
  return error;
}

Error Core::synchronize() {
  const Error error = captures_.check_wait_all();
  if (error == Error::kNone) timeline_.synchronize(Devices::current());
  return error;
}

Error Core::begin_capture(Stream& stream, CaptureMode mode) {
  if (timeline_.is_standard(stream)) {
    say("the default stream cannot be captured here; capture a stream made with "
        "cudaStreamCreate()");
    return Error::kCaptureUnsupported;
  }
  if (stream.capture != nullptr) return Error::kIllegalState;
  return captures_.begin(stream, *graphs_.keep(std::make_unique<Graph>()), {}, mode, true);
}

Error Core::begin_capture(Stream& stream, Graph& graph, std::vector<Node*> after,
                          CaptureMode mode) {
  if (timeline_.is_standard(stream)) return Error::kCaptureUnsupported;
  if (captures_.uses(&graph)) return Error::kIllegalState;
  return captures_.begin(stream, graph, std::move(after), mode, false);
}

Error Core::end_capture(Stream& stream, Graph** made) {
  std::shared_ptr<Capture> capture;
  const Error error = captures_.end(stream, timeline_, &capture);
  const bool is_wanted = error == Error::kNone && made != nullptr;
  if (made != nullptr) *made = is_wanted ? capture->graph : nullptr;
  if (!is_wanted && capture != nullptr && capture->owns_graph)
    static_cast<void>(graphs_.destroy(capture->graph));
  return error;
}

bool Core::destroy(Stream* stream) {
  if (!timeline_.knows(stream)) return false;
  const std::shared_ptr<Capture> ended = captures_.leave(*stream, timeline_);
  if (ended != nullptr && ended->owns_graph) static_cast<void>(graphs_.destroy(ended->graph));
  return timeline_.destroy(stream);
}

void Core::keep_for_capture(uint64_t address) {
  if (Graph* graph = captures_.holder()) graph->resources.push_back(memory_.hold(address));
}

Error Core::allocate(uint64_t bytes, Stream& stream, Place place, uint64_t* address) {
  if (stream.capture == nullptr) {
    const Result<uint64_t> made = memory_.allocate(bytes, place.kind, place.device);
    if (!made) return Error::kOutOfMemory;
    return *address = *made, Error::kNone;
  }
  if (place.kind != MemoryKind::kDevice) {
    say("a stream capture can allocate from device memory pools only, not from pools of host or "
        "managed memory");
    return Error::kNotSupported;
  }
  const Result<uint64_t> reserved = memory_.reserve(bytes, place.device);
  if (!reserved) return Error::kOutOfMemory;
  const Error error = captures_.add(stream, AllocateWork{*reserved, bytes});
  if (error == Error::kNone) *address = *reserved;
  return error;
}

Error Core::allocate(uint64_t bytes, Stream& stream, Pool& pool, uint64_t* address) {
  if (!pool.has_room(memory_, bytes)) return Error::kOutOfMemory;
  const Error error = allocate(bytes, stream, pool.place(), address);
  if (error == Error::kNone) pool.add(*address, bytes);
  return error;
}

Error Core::release(uint64_t address, Stream& stream) {
  if (stream.capture != nullptr) return submit(stream, FreeWork{address});
  const Status done = memory_.release(address, false);
  if (!done) say(done.error());
  return done ? Error::kNone : Error::kInvalidValue;
}

Error Core::create_condition(Graph& graph, uint32_t initial, bool is_initialized,
                             uint64_t* handle) {
  const Result<uint64_t> made = memory_.device().allocate(sizeof initial, "graph condition");
  if (!made) return Error::kOutOfMemory;
  graph.conditions.push_back({*made, initial, is_initialized});
  return *handle = *made, Error::kNone;
}

}  // namespace warpledger::cuda
