#include "warpledger/trace/sink.h"

#include <algorithm>
#include <vector>

namespace warpledger::trace {
namespace {

constexpr uint32_t kBudget = 4096;  // slots; 64 KB per warp stays in the host's caches

}  // namespace

Status run_all(Producer& producer, Sink& sink, uint32_t slots) {
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
    if (!moved) {
      return Diagnostic{.message = "every resident CTA waits for another one",
                        .hint = "more CTAs may have to be resident than this run allows",
                        .code = "ctas-wait-for-each-other"};
    }
  }
  sink.end();
  return {};
}

}  // namespace warpledger::trace
