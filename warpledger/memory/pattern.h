// Patterns: what the exact units say of a request, kept per (site, shape, alignment of the base),
// so that a recorded access costs one look-up instead of 32 lanes of work. The lines of a request
// move with its base: only the tag bank, which folds the whole line number, must be taken per
// access.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "warpledger/memory/banks.h"
#include "warpledger/memory/coalescer.h"
#include "warpledger/memory/memory.h"
#include "warpledger/trace/buffer.h"
#include "warpledger/trace/shape.h"

namespace warpledger::memory {

struct PatternLine {
  int32_t delta = 0;  // from the base's line
  uint8_t sectors = 0;
  uint8_t partial = 0;  // sectors touched and not covered whole
};

/// What becomes of a request's lines.
enum class Action : uint8_t {
  kNone,   // there are none: shared and constant memory, all lanes off, no access of its own
  kLoad,   // from global memory through the L1, allocated like any other
  kFetch,  // other loads: local, streamed, past the L1
  kStore,
  kUpdate,
  kArrive,  // no lines: what a cp.async fetched is written to shared memory
};

struct Pattern {
  uint64_t executions = 0;
  uint64_t tag_wavefronts = 0;  // of all executions: they depend on where the lines lie
  std::vector<PatternLine> lines;
  Action action = Action::kNone;
  bool serial = false;          // lanes are served one by one: as many wavefronts as lines
  std::vector<ByteMask> bytes;  // beside `lines`, only where some sector is partial
  size_t can_wait = 0;          // of a store: so many of its lines, the first (store_combiner.h)
  RequestCounters cost;         // of one execution
};

/// A request's pattern and where it lies: line i is base_line + pattern->lines[i].delta.
struct Request {
  Pattern* pattern = nullptr;
  uint64_t base_line = 0;

  [[nodiscard]] uint64_t line(const PatternLine& touch) const {
    return base_line + static_cast<uint64_t>(int64_t{touch.delta});
  }
};

/// Passes of the tag stage that the request takes where it lies.
[[nodiscard]] inline uint64_t tag_wavefronts(const Request& request) {
  const std::vector<PatternLine>& lines = request.pattern->lines;
  if (request.pattern->serial || lines.size() <= 1) return lines.size();
  if (lines.size() == 2) {  // in one bank: the fold of their difference is 0
    return tag_bank(request.line(lines[0]) ^ request.line(lines[1])) ? 1 : 2;
  }
  return tag_wavefronts(lines, [&](const PatternLine& touch) { return request.line(touch); });
}

/// So many executions of the pattern at a site, with the passes of the tag stage of all.
void add_executions(const Pattern& pattern, uint64_t executions, uint64_t tag_wavefronts,
                    SiteCounters& site);

/// Whether the access of another execution, at the start of the window, does this one's work
/// (trace::Site::serves_window). All lanes of a wide access lie at multiples of its width.
[[nodiscard]] bool is_served(const trace::Site& site, const Lanes& lanes);

/// The rule of banks.h that requests of `site` follow.
[[nodiscard]] Wavefronts wavefronts_of(const trace::Site& site, const Lanes& lanes);

/// The pattern of an access of `site` whose lanes lie at lanes.address - base; the slow path, and
/// the definition. Pre: |address - base| < 2^31 lines.
[[nodiscard]] Pattern pattern_of(const trace::Site& site, const Lanes& lanes, uint64_t base_line);

/// The pattern of a texture fetch: the record at `head` is one of texels. Distinct sectors of the
/// request, as for the load/store unit; whether the texture unit joins texels of all its lanes or
/// those of four at a time is not published. Lanes count bytes (trace.h, Site::width).
[[nodiscard]] Pattern texel_pattern_of(const trace::Record* head, uint64_t base_line);

class PatternTable {
 public:
  PatternTable(const trace::Sites& sites, const trace::ShapeTable& shapes);

  /// For a regular record whose site is in no group, as the record spells them: key_of(site,
  /// shape). Nothing for other records, and before the first find(): ask that then.
  [[nodiscard]] Request find_recent(uint64_t key, uint64_t address) {
    Row* row = recent_[place_of(key)];
    if (row->key != key) return {};
    return at(*row, address);
  }
  static constexpr uint64_t key_of(uint32_t site, uint32_t shape) {
    return uint64_t{site} << 32 | shape;
  }

  /// For a regular record at one site of its group.
  Request find(uint32_t site, uint32_t shape, uint64_t address) {
    Row* row = row_of(site, shape);
    return row ? at(*row, address) : uncached(site, lanes_of(site, shape, address));
  }

  /// For raw lanes; valid until the next call.
  Request uncached(uint32_t site, const Lanes& lanes);

  /// For a record of texels; valid until the next call.
  Request texels(const trace::Record* head);

  /// Adds what was executed so far to the sites' exact counters.
  void add_to(std::vector<SiteCounters>& sites) const;

  [[nodiscard]] Lanes lanes_of(uint32_t site, uint32_t shape, uint64_t address) const;

 private:
  struct Row {
    uint64_t key = ~uint64_t{0};
    uint64_t offset = 0;
    uint32_t align_mask = 127;
    uint32_t line_shift = 7;
    std::array<Pattern*, 128> at{};
    [[nodiscard]] uint32_t site() const { return static_cast<uint32_t>(key >> 32); }
    [[nodiscard]] uint32_t shape() const { return static_cast<uint32_t>(key); }
  };
  static constexpr uint32_t kRecentBits = 12;
  static uint32_t place_of(uint64_t key) {
    return static_cast<uint32_t>(key * 0x9E3779B97F4A7C15u >> (64 - kRecentBits));
  }
  Request at(Row& row, uint64_t address) {
    const uint64_t place = address + row.offset;
    Pattern* pattern = row.at[place & row.align_mask];
    if (!pattern) pattern = make(row, place);
    ++pattern->executions;
    return {pattern, place >> row.line_shift};
  }
  Row* row_of(uint32_t site, uint32_t shape);
  Pattern* make(Row& row, uint64_t place);
  void forget_scratch();
  Request keep_scratch(uint32_t site, uint64_t base_line, Pattern pattern);

  const trace::Sites& sites_;
  const trace::ShapeTable& shapes_;
  std::unique_ptr<Row> none_ = std::make_unique<Row>();  // stays where it is when the table moves
  std::vector<Row*> recent_;                             // never null
  std::vector<uint32_t> row_count_;
  std::unordered_map<uint64_t, std::unique_ptr<Row>> rows_;              // by key
  std::vector<std::pair<uint32_t, std::unique_ptr<Pattern>>> patterns_;  // with their site
  Pattern scratch_;
  uint32_t scratch_site_ = 0;
  std::vector<SiteCounters> raw_;
};

}  // namespace warpledger::memory
