#include "warpledger/base/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <thread>

#ifdef WL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace warpledger {
namespace {

// The thread sanitizer does not see how TBB, which is not built with it, keeps its threads apart:
// it is told what parallel_for promises. This file itself is built without
// (warpledger/CMakeLists.txt).
void release([[maybe_unused]] void* what) {
#ifdef WL_THREAD_SANITIZER
  __tsan_release(what);
#endif
}

void acquire([[maybe_unused]] void* what) {
#ifdef WL_THREAD_SANITIZER
  __tsan_acquire(what);
#endif
}

/// What the caller did before happens before every piece of work, and every piece before its
/// return.
void in_parallel(uint32_t count, const std::function<void(uint32_t)>& work) {
  char begun = 0, done = 0;  // their addresses count
  release(&begun);
  tbb::parallel_for(
      uint32_t{0}, count,
      [&](uint32_t i) {
        acquire(&begun);
        work(i);
        release(&done);
      },
      tbb::simple_partitioner());
  acquire(&done);
}

}  // namespace

void for_each_index(uint32_t count, uint32_t threads, const std::function<void(uint32_t)>& work) {
  if (threads <= 1 || count <= 1) {
    for (uint32_t i = 0; i < count; ++i) work(i);
    return;
  }
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] { in_parallel(count, work); });
}

uint32_t available_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace warpledger
