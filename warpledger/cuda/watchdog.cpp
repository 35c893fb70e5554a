#include "warpledger/cuda/watchdog.h"

#include <chrono>

namespace warpledger::cuda {

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::begin(double seconds) {
  {
    const std::lock_guard lock(mutex_);
    seconds_ = seconds;
    ++round_;
    told_ = false;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
  changed_.notify_all();
}

void Watchdog::end() {
  const std::lock_guard lock(mutex_);
  seconds_ = 0;
  ++round_;
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    changed_.wait(lock, [this] { return ends_ || seconds_ > 0; });
    const uint64_t round = round_;
    const auto over = [&] { return ends_ || round_ != round; };
    const bool in_time =
        changed_.wait_for(lock, std::chrono::duration<double>(seconds_), over);
    if (in_time) continue;
    told_ = true;
    changed_.wait(lock, over);
  }
}

}  // namespace warpledger::cuda
