#include "warpledger/trace/sink.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "warpledger/base/parallel.h"

namespace warpledger::trace {
namespace {

constexpr uint32_t kBudget = 4096;  // slots; 64 KB per warp stays in the host's caches

Diagnostic all_wait() {
  return {.message = "every resident CTA waits for another one",
          .hint = "more CTAs may have to be resident than this run allows",
          .code = "ctas-wait-for-each-other"};
}

/// Threads that take CTAs in order of their ids. When one faults, those of lower ids still end.
class ParallelRun {
 public:
  ParallelRun(Producer& producer, Sink& sink)
      : producer_(producer), sink_(sink), ctas_(producer.launch().ctas()) {}

  void work(uint32_t slot) {
    for (uint64_t cta = next_++; cta < ctas_ && cta < faulty_; cta = next_++) {
      producer_.start(slot, cta);
      const Status done = run(slot, cta);
      if (!done) note(cta, done.error());
    }
  }
  [[nodiscard]] Status outcome() const { return fault_ ? Status(*fault_) : Status(); }

 private:
  Status run(uint32_t slot, uint64_t cta) {
    while (cta < faulty_) {
      WL_TRY(const Progress progress, producer_.run(slot, kBudget));
      drain(slot);
      if (progress == Progress::kEnded) break;
      if (progress == Progress::kBlocked) return all_wait();
    }
    return {};
  }
  void drain(uint32_t slot) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!sink_.is_parallel()) lock.lock();
    const std::span<Buffer> buffers = producer_.buffers(slot);
    for (uint32_t warp = 0; warp < buffers.size(); ++warp) sink_.drain(warp, buffers[warp]);
  }
  void note(uint64_t cta, const Diagnostic& fault) {
    const std::lock_guard lock(mutex_);
    if (cta >= faulty_) return;
    faulty_ = cta;
    fault_ = fault;
  }

  Producer& producer_;
  Sink& sink_;
  uint64_t ctas_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> faulty_ = UINT64_MAX;  // lowest CTA that has faulted
  std::mutex mutex_;
  std::optional<Diagnostic> fault_;
};

Status run_parallel(Producer& producer, Sink& sink, uint32_t threads) {
  producer.set_slots(threads);
  sink.begin(producer.launch());
  ParallelRun run(producer, sink);
  for_each_index(threads, threads, [&](uint32_t slot) { run.work(slot); });
  WL_TRY_STATUS(run.outcome());
  sink.end();
  return {};
}

}  // namespace

Status run_all(Producer& producer, Sink& sink, uint32_t slots, uint32_t threads) {
  if (threads > 1 && producer.freedom() == Freedom::kParallel) {
    return run_parallel(producer, sink, threads);
  }
  const uint64_t ctas = producer.launch().ctas();
  slots = static_cast<uint32_t>(std::min<uint64_t>(slots, ctas));
  producer.set_slots(slots);
  sink.begin(producer.launch());
  uint64_t next = 0;
  std::vector<bool> alive(slots, true);
  for (uint32_t slot = 0; slot < slots; ++slot) producer.start(slot, next++);
  for (uint32_t living = slots; living > 0;) {
    bool moved = false;
    for (uint32_t slot = 0; slot < slots; ++slot) {
      if (!alive[slot]) continue;
      WL_TRY(const Progress progress, producer.run(slot, kBudget));
      const std::span<Buffer> buffers = producer.buffers(slot);
      for (uint32_t warp = 0; warp < buffers.size(); ++warp) sink.drain(warp, buffers[warp]);
      moved |= progress != Progress::kBlocked;
      if (progress != Progress::kEnded) continue;
      alive[slot] = next < ctas;
      if (alive[slot]) {
        producer.start(slot, next++);
      } else {
        --living;
      }
    }
    if (!moved) return all_wait();
  }
  sink.end();
  return {};
}

}  // namespace warpledger::trace
