// Patterns: what the exact units say of a request, kept per (site, shape, alignment of the base),
// so that a recorded access costs one look-up instead of 32 lanes of work. The lines of a request
// move with its base: only the tag bank, which folds the whole line number, must be taken per
// access.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "warpledger/memory/coalescer.h"
#include "warpledger/memory/memory.h"
#include "warpledger/trace/shape.h"

namespace warpledger::memory {

struct PatternLine {
  int32_t delta = 0;  // from the base's line
  uint8_t sectors = 0;
  uint8_t partial = 0;  // sectors touched and not covered whole
};

struct Pattern {
  RequestCounters cost;            // of one execution
  std::vector<PatternLine> lines;  // empty in shared and constant space
  std::vector<ByteMask> bytes;     // beside `lines`, only where some sector is partial
  bool serial = false;             // lanes are served one by one: as many wavefronts as lines
  uint64_t executions = 0;
};

/// A request's pattern and where it lies: line i is base_line + pattern->lines[i].delta.
struct Request {
  Pattern* pattern = nullptr;
  uint64_t base_line = 0;
};

/// The pattern of an access of `site` whose lanes lie at lanes.address - base; the slow path, and
/// the definition. Pre: |address - base| < 2^31 lines.
[[nodiscard]] Pattern pattern_of(const trace::Site& site, const Lanes& lanes, uint64_t base_line);

class PatternTable {
 public:
  PatternTable(const trace::Sites& sites, const trace::ShapeTable& shapes);

  /// For a regular record at one site of its group.
  Request find(uint32_t site, uint32_t shape, uint64_t address) {
    Row* row = last_[site];
    if (!row || row->shape != shape) row = row_of(site, shape);
    if (!row) return uncached(site, lanes_of(site, shape, address));
    const uint64_t place = address + row->offset;
    Pattern*& pattern = row->at[place & row->align_mask];
    if (!pattern) pattern = make(site, shape, place);
    ++pattern->executions;
    return {pattern, place >> row->line_shift};
  }

  /// For raw lanes; valid until the next call.
  Request uncached(uint32_t site, const Lanes& lanes);

  /// Adds what was executed to the sites' exact counters.
  void add_to(std::vector<SiteCounters>& sites) const;

  [[nodiscard]] Lanes lanes_of(uint32_t site, uint32_t shape, uint64_t address) const;

 private:
  struct Row {
    uint32_t shape = 0;
    uint32_t align_mask = 127;
    uint32_t line_shift = 7;
    uint64_t offset = 0;
    std::array<Pattern*, 128> at{};
  };
  Row* row_of(uint32_t site, uint32_t shape);
  Pattern* make(uint32_t site, uint32_t shape, uint64_t place);

  const trace::Sites& sites_;
  const trace::ShapeTable& shapes_;
  std::vector<Row*> last_;
  std::vector<uint32_t> row_count_;
  std::unordered_map<uint64_t, std::unique_ptr<Row>> rows_;              // by site << 32 | shape
  std::vector<std::pair<uint32_t, std::unique_ptr<Pattern>>> patterns_;  // with their site
  Pattern scratch_;
  std::vector<RequestCounters> raw_;
};

}  // namespace warpledger::memory
