#include "interpose/timeline.h"

#include <algorithm>

namespace warpledger::cuda {
namespace {

constexpr uintptr_t kLegacy = 1, kPerThread = 2;  // cudaStreamLegacy, cudaStreamPerThread

}  // namespace

std::array<Timeline::Engines, kMostDevices> Timeline::made_engines() {
  std::array<Engines, kMostDevices> made;
  for (size_t i = 0; i < made.size(); ++i) made[i].standard.device = static_cast<int>(i);
  return made;
}

Stream* Timeline::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>(
      Stream{.flags = flags, .priority = priority, .id = next_id_++, .device = Devices::current()});
  Stream* const known = stream.get();
  streams_.emplace(known, std::move(stream));
  return known;
}

bool Timeline::destroy(Stream* stream) {
  if (!knows(stream)) return false;
  double& after = engines_[stream->device].standard.ready;
  after = std::max(after, stream->ready);
  streams_.erase(stream);
  return true;
}

bool Timeline::is_standard(const Stream& stream) const {
  return &stream == &engines_[stream.device].standard;
}

Stream* Timeline::find(const void* handle) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number == kLegacy || number == kPerThread) return &standard();
  const auto found = streams_.find(static_cast<const Stream*>(handle));
  return found == streams_.end() ? nullptr : found->second.get();
}

void Timeline::for_each(const std::function<void(Stream&)>& visit) {
  for (const auto& [handle, stream] : streams_) visit(*stream);
}

Event* Timeline::create_event(unsigned flags) {
  auto event = std::make_shared<Event>(Event{.flags = flags, .device = Devices::current()});
  Event* const known = event.get();
  events_.emplace(known, std::move(event));
  return known;
}

std::shared_ptr<Event> Timeline::event(const Event* event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second;
}

double Timeline::all_ready(int device) const {
  double ready = engines_[device].standard.ready;
  for (const auto& [stream, held] : streams_) {
    if (stream->device == device && (stream->flags & kNonBlocking) == 0)
      ready = std::max(ready, stream->ready);
  }
  return ready;
}

double Timeline::start(const Stream& stream) const {
  double start = std::max(stream.ready, host_);
  if (is_standard(stream)) start = std::max(start, all_ready(stream.device));
  if ((stream.flags & kNonBlocking) == 0)
    start = std::max(start, engines_[stream.device].standard.ready);
  return start;
}

void Timeline::add(Stream& stream, Lane lane, double seconds, const std::string& name,
                   const std::string& profile) {
  double& engine = engines_[stream.device].lanes[static_cast<size_t>(lane)];
  const double begin = std::max(start(stream), engine);
  stream.ready = engine = begin + seconds;
  if (!watcher_) return;
  watcher_({name, lane, stream.id, begin, seconds, stream.device, stream.is_of_graph, profile});
}

void Timeline::add_graph_launch(const Stream& stream, double begin, const std::string& name) {
  if (watcher_)
    watcher_(
        {name, Lane::kGraphLaunch, stream.id, begin, stream.ready - begin, stream.device, false});
}

void Timeline::record(Event& event, Stream& stream) {
  event.time = std::max(host_, is_standard(stream) ? all_ready(stream.device) : stream.ready);
  event.recorded = true;
  event.capture = nullptr;
  event.nodes.clear();
}

void Timeline::wait(Stream& stream, const Event& event) {
  if (event.recorded) stream.ready = std::max(stream.ready, event.time);
}

void Timeline::synchronize(const Stream& stream) {
  host_ = std::max(host_, is_standard(stream) ? all_ready(stream.device) : stream.ready);
}

void Timeline::synchronize(const Event& event) {
  if (event.recorded) host_ = std::max(host_, event.time);
}

void Timeline::synchronize(int device) {
  host_ = std::max(host_, engines_[device].standard.ready);
  for (const auto& [handle, stream] : streams_) {
    if (stream->device == device) host_ = std::max(host_, stream->ready);
  }
}

}  // namespace warpledger::cuda
