// Patterns: how the lanes of an access lie to each other. Compiled code asks once per (vector,
// mask, width), outside of its loops.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "warpledger/exec/jit/runtime/warp_context.h"
#include "warpledger/trace/shape.h"

namespace warpledger::exec::jit {

/// find() may be called from several threads.
class PatternTable {
 public:
  explicit PatternTable(trace::ShapeTable& shapes) : shapes_(shapes) {}

  /// Never null; the same pointer for the same arguments while the table has room, then an
  /// irregular pattern that no SiteWindow holds. `element` bytes per lane, `count` of them in a
  /// row.
  [[nodiscard]] const Pattern* find(const int64_t* offset, uint32_t mask, uint32_t element,
                                    uint32_t count);

 private:
  struct Lanes {
    uint32_t mask = 0, element = 0, count = 0;
  };
  const Pattern* make(uint64_t hash, const int64_t* offset, const Lanes& active);

  trace::ShapeTable& shapes_;
  std::unordered_multimap<uint64_t, std::unique_ptr<Pattern>> by_hash_;
  std::mutex mutex_;  // of by_hash_; patterns, once made, do not change
  std::atomic<const Pattern*> recent_[1024] = {};
  Pattern irregular_;
};

}  // namespace warpledger::exec::jit
