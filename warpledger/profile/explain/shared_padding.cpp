#include "warpledger/profile/explain/shared_padding.h"

#include <algorithm>

#include "warpledger/memory/pattern.h"

namespace warpledger::profile {
namespace {

constexpr uint64_t kLeastRow = 32, kMostRow = 8192, kWord = 4, kMostPad = 32;

memory::Lanes moved(const AccessExample& example, const trace::Site& site, uint64_t row,
                    uint64_t pad) {
  memory::Lanes lanes{example.mask, site.width, example.address};
  for (uint64_t& address : lanes.address) address += address / row * pad;
  return lanes;
}

std::vector<uint64_t> candidate_rows(uint64_t row_bytes) {
  if (row_bytes != 0) return {row_bytes};
  std::vector<uint64_t> rows;
  for (uint64_t row = kMostRow; row >= kLeastRow; row /= 2) rows.push_back(row);
  return rows;
}

/// Fewer wavefronts, or the same with fewer bytes of padding.
bool is_better(const SharedPadding& one, const SharedPadding& best) {
  if (one.after != best.after) return one.after < best.after;
  return best.row_bytes != 0 && one.pad_bytes * best.row_bytes < best.pad_bytes * one.row_bytes;
}

}  // namespace

std::optional<SharedPadding> find_padding(const AccessExample& example, const trace::Site& site,
                                          uint64_t row_bytes) {
  const memory::Lanes now{example.mask, site.width, example.address};
  const uint32_t before = memory::wavefronts_of(site, now).total;
  SharedPadding best{.before = before, .after = before};
  for (const uint64_t row : candidate_rows(row_bytes)) {
    for (uint64_t pad = std::max<uint64_t>(site.width, kWord); pad <= kMostPad; pad *= 2) {
      const uint32_t after = memory::wavefronts_of(site, moved(example, site, row, pad)).total;
      const SharedPadding one{row, pad, before, after};
      if (is_better(one, best)) best = one;
    }
  }
  if (best.row_bytes == 0) return {};
  return best;
}

}  // namespace warpledger::profile
