// Stops a launch that takes too long: a thread that sets a flag the engines look at.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace warpledger::cuda {

class Watchdog {
 public:
  Watchdog() = default;
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Until end() or for `seconds`, then told() is set. The thread is made by the first call.
  void begin(double seconds);
  void end();
  [[nodiscard]] const std::atomic<bool>& told() const { return told_; }

 private:
  void watch();

  std::atomic<bool> told_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  double seconds_ = 0;  // 0: nothing is watched
  uint64_t round_ = 0;
  bool ends_ = false;
};

}  // namespace warpledger::cuda
