// How often each block and each edge of a control-flow graph ran, from the few blocks whose count
// is known: what flows into a block flows out of it.
//
//   count(b) = sum of its in-edges = sum of its out-edges, nothing is negative
//
// Entering the code and leaving it are edges too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

class Flow {
 public:
  explicit Flow(const std::vector<SassBlock>& blocks);

  /// Edges are counted, so that a block may be entered both from outside and from others.
  void set_block(uint32_t block, uint64_t count);
  void set_edge(uint32_t from, uint32_t to, uint64_t count);
  void set_entered(uint32_t block, uint64_t count);  // from outside; 0 unless told otherwise
  void open_entry(uint32_t block);                   // not known how often

  /// Follows the law as far as it leads.
  void propagate();

  [[nodiscard]] std::optional<uint64_t> block(uint32_t block) const { return count_[block]; }
  [[nodiscard]] std::optional<uint64_t> edge(uint32_t from, uint32_t to) const;
  /// Blocks whose known edges contradict their count.
  [[nodiscard]] std::vector<uint32_t> violations() const;

 private:
  struct Edge {
    std::optional<uint64_t> count;
  };
  using Side = std::vector<size_t>;  // edges
  size_t add_edge(uint32_t from, uint32_t to);
  bool follow(uint32_t block, const Side& side);

  std::vector<std::optional<uint64_t>> count_;
  std::vector<Edge> edges_;
  std::vector<Side> in_, out_;
  std::vector<bool> is_in_complete_, is_out_complete_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> edge_of_;
  std::vector<size_t> entered_;
};

}  // namespace warpledger::sass
