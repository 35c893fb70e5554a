#include "warpledger/sm/caches.h"

#include <algorithm>

namespace warpledger::sm {

CodeCache::CodeCache(const Hardware& hardware, size_t instructions)
    : hardware_(hardware),
      sm_(instructions / kInstructions + 2 + hardware.code_prefetch, kAbsent),
      l0_(kPartitions, L0{std::vector<int64_t>(sm_.size() + 1, kAbsent)}) {}

int64_t CodeCache::ready(uint32_t partition, uint32_t line, int64_t now) {
  L0& cache = l0_[partition];
  if (cache.lines[line] != kAbsent) return cache.lines[line];
  if (cache.held >= hardware_.l0_lines) {
    std::fill(cache.lines.begin(), cache.lines.end(), kAbsent);
    cache.held = 0;
  }
  const bool follows = line > 0 && cache.lines[line - 1] != kAbsent;
  const auto miss = static_cast<int64_t>(follows ? hardware_.l0_miss / 3 : hardware_.l0_miss);
  const int64_t at = std::max(from_sm(line, now), now) + miss;
  hold(cache, line, at);
  hold(cache, line + 1, at + 6);  // the prefetcher's
  return at;
}

int64_t CodeCache::from_sm(uint32_t line, int64_t now) {
  if (sm_[line] != kAbsent) return sm_[line];
  const int64_t at = now + static_cast<int64_t>(hardware_.cold_code);
  for (uint32_t i = 0; i <= hardware_.code_prefetch; ++i)
    if (sm_[line + i] == kAbsent) sm_[line + i] = at + 4 * i;
  return at;
}

void CodeCache::hold(L0& cache, uint32_t line, int64_t at) {
  if (cache.lines[line] == kAbsent) ++cache.held;
  cache.lines[line] = at;
}

int64_t ConstantCache::ready(int32_t line, int64_t now) {
  int64_t& at = lines_[static_cast<size_t>(line)];
  if (at < 0) at = now + static_cast<int64_t>(hardware_.cold_constant);
  return at;
}

}  // namespace warpledger::sm
