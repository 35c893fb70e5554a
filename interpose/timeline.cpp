#include "interpose/timeline.h"

#include <algorithm>

namespace warpledger::cuda {
namespace {

constexpr uintptr_t kLegacy = 1, kPerThread = 2;  // cudaStreamLegacy, cudaStreamPerThread

}  // namespace

Stream* Timeline::create(unsigned flags, int priority) {
  auto stream =
      std::make_unique<Stream>(Stream{.flags = flags, .priority = priority, .id = next_id_++});
  Stream* const known = stream.get();
  streams_.emplace(known, std::move(stream));
  return known;
}

bool Timeline::destroy(Stream* stream) {
  if (!knows(stream)) return false;
  standard_.ready = std::max(standard_.ready, stream->ready);
  streams_.erase(stream);
  return true;
}

Stream* Timeline::find(const void* handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number == kLegacy || number == kPerThread) return &standard_;
  const auto found = streams_.find(static_cast<const Stream*>(handle));
  return found == streams_.end() ? nullptr : found->second.get();
}

void Timeline::for_each(const std::function<void(Stream&)>& visit) {
  for (const auto& [handle, stream] : streams_) visit(*stream);
}

Event* Timeline::create_event(unsigned flags) {
  auto event = std::make_shared<Event>(Event{.flags = flags});
  Event* const known = event.get();
  events_.emplace(known, std::move(event));
  return known;
}

std::shared_ptr<Event> Timeline::event(const Event* event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second;
}

double Timeline::all_ready() const {
  double ready = standard_.ready;
  for (const auto& [stream, held] : streams_) {
    if ((stream->flags & kNonBlocking) == 0) ready = std::max(ready, stream->ready);
  }
  return ready;
}

double Timeline::start(const Stream& stream) const {
  double start = std::max(stream.ready, host_);
  if (&stream == &standard_) start = std::max(start, all_ready());
  if ((stream.flags & kNonBlocking) == 0) start = std::max(start, standard_.ready);
  return start;
}

void Timeline::add(Stream& stream, Lane lane, double seconds) {
  double& engine = lanes_[static_cast<size_t>(lane)];
  stream.ready = engine = std::max(start(stream), engine) + seconds;
}

void Timeline::record(Event& event, Stream& stream) {
  event.time = std::max(host_, &stream == &standard_ ? all_ready() : stream.ready);
  event.recorded = true;
  event.capture = nullptr;
  event.nodes.clear();
}

void Timeline::wait(Stream& stream, const Event& event) {
  if (event.recorded) stream.ready = std::max(stream.ready, event.time);
}

void Timeline::synchronize(const Stream& stream) {
  host_ = std::max(host_, &stream == &standard_ ? all_ready() : stream.ready);
}

void Timeline::synchronize(const Event& event) {
  if (event.recorded) host_ = std::max(host_, event.time);
}

void Timeline::synchronize() {
  host_ = std::max(host_, standard_.ready);
  for (const auto& [handle, stream] : streams_) host_ = std::max(host_, stream->ready);
}

}  // namespace warpledger::cuda
