#include "warpledger/base/stopwatch.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace warpledger {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Lap now() {
  rusage self{}, children{};
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {.wall_seconds = std::chrono::duration<double>(wall).count(),
          .cpu_seconds = seconds_of(self.ru_utime) + seconds_of(self.ru_stime) +
                         seconds_of(children.ru_utime) + seconds_of(children.ru_stime)};
}

}  // namespace

Stopwatch::Stopwatch() : begun_(now()) {}

Stopwatch::Phase::Phase(Stopwatch* watch, const char* name) : watch_(watch), name_(name) {
  if (!watch_) return;
  begun_ = now();
  outer_ = std::exchange(watch_->current_, this);
}

Stopwatch::Phase::~Phase() {
  if (!watch_) return;
  std::vector<Lap>& laps = watch_->laps_;
  auto lap =
      std::find_if(laps.begin(), laps.end(), [&](const Lap& one) { return one.name == name_; });
  if (lap == laps.end()) lap = laps.insert(laps.end(), Lap{.name = name_});
  const Lap ended = now();
  const double wall = ended.wall_seconds - begun_.wall_seconds;
  const double cpu = ended.cpu_seconds - begun_.cpu_seconds;
  lap->wall_seconds += wall - inside_.wall_seconds;
  lap->cpu_seconds += cpu - inside_.cpu_seconds;
  watch_->current_ = outer_;
  if (!outer_) return;
  outer_->inside_.wall_seconds += wall;
  outer_->inside_.cpu_seconds += cpu;
}

Lap Stopwatch::total() const {
  const Lap ended = now();
  return {.name = "total",
          .wall_seconds = ended.wall_seconds - begun_.wall_seconds,
          .cpu_seconds = ended.cpu_seconds - begun_.cpu_seconds};
}

}  // namespace warpledger
