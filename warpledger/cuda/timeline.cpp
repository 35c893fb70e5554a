#include "warpledger/cuda/timeline.h"

#include <algorithm>

namespace warpledger::cuda {
namespace {

constexpr unsigned kNonBlocking = 1;  // cudaStreamNonBlocking

}  // namespace

Stream* Timeline::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>(
      Stream{.flags = flags, .priority = priority, .id = next_id_++, .capture = nullptr});
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

double Timeline::all_ready() const {
  double ready = standard_.ready;
  for (const auto& [stream, held] : streams_) {
    if ((stream->flags & kNonBlocking) == 0) ready = std::max(ready, stream->ready);
  }
  return ready;
}

void Timeline::add(Stream& stream, Lane lane, double seconds) {
  double& engine = lanes_[static_cast<size_t>(lane)];
  double start = std::max(stream.ready, engine);
  if (&stream == &standard_) start = std::max(start, all_ready());
  if ((stream.flags & kNonBlocking) == 0) start = std::max(start, standard_.ready);
  stream.ready = engine = start + seconds;
}

void Timeline::record(Event& event, Stream& stream) {
  event.time = &stream == &standard_ ? all_ready() : stream.ready;
  event.recorded = true;
}

void Timeline::wait(Stream& stream, const Event& event) {
  if (event.recorded) stream.ready = std::max(stream.ready, event.time);
}

}  // namespace warpledger::cuda
