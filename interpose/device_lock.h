// The lock that every call of the program takes, again where one calls another. A function of the
// program runs without it: that function may wait for a lock of its own (Python's) which another
// thread holds while it waits for this one.
#pragma once

#include <mutex>

namespace warpledger::cuda {

class DeviceLock {
 public:
  void lock() {
    mutex_.lock();
    ++depth_;
  }
  void unlock() {
    --depth_;
    mutex_.unlock();
  }

  /// While it lives, this thread does not hold the lock. Pre: it does now.
  class Released {
   public:
    explicit Released(DeviceLock& lock) : lock_(lock), depth_(lock.depth_) {
      for (int i = 0; i < depth_; ++i) lock_.unlock();
    }
    ~Released() {
      for (int i = 0; i < depth_; ++i) lock_.lock();
    }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

   private:
    DeviceLock& lock_;
    int depth_;
  };

 private:
  std::recursive_mutex mutex_;
  int depth_ = 0;  // of who holds it
};

}  // namespace warpledger::cuda
