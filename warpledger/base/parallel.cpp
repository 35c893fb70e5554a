#include "warpledger/base/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <thread>

namespace warpledger {

void for_each_index(uint32_t count, uint32_t threads, const std::function<void(uint32_t)>& work) {
  if (threads <= 1 || count <= 1) {
    for (uint32_t i = 0; i < count; ++i) work(i);
    return;
  }
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(
        uint32_t{0}, count, [&](uint32_t i) { work(i); }, tbb::simple_partitioner());
  });
}

uint32_t available_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace warpledger
