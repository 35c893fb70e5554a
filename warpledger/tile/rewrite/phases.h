// A straight-line body that reduces over a dimension becomes loops over the blocks of it. What
// needs the whole result of a reduction must wait for the loop that makes it: such statements form
// phases, one loop each. A tile of blocks that a later phase needs again is made again there.
#pragma once

#include <set>

#include "warpledger/tile/rewrite/axes.h"

namespace warpledger::tile {

/// Statement `at` and the class that is split.
struct SplitAt {
  int number = 0;
  size_t at = 0;
};
struct Block {
  std::string index;  // the block's number, a loop or grid index
  std::string size;
};

[[nodiscard]] const Place* slice_of(const Statement& statement);

/// The slice of the statement takes block `block` of each dimension of the class.
void take_block(const AxisClasses& axes, SplitAt split, const Block& block, Statement& statement);

class Phases {
 public:
  Phases(const Program& program, const Kernel& kernel, const TileTypes& types,
         const AxisClasses& axes)
      : program_(program), kernel_(kernel), types_(types), axes_(axes) {}

  [[nodiscard]] Body loops_over(int number, const std::string& block, const Expression& count);

 private:
  void classify();
  [[nodiscard]] bool is_streamed(size_t at) const;
  [[nodiscard]] bool is_root(size_t at) const;
  [[nodiscard]] std::set<size_t> needed_in(int phase) const;
  [[nodiscard]] Body loop_of(int phase, const Block& block, const Expression& count);
  [[nodiscard]] Statement in_loop(size_t at, const Block& block) const;
  void add_accumulator(size_t at, Body* body) const;

  const Program& program_;
  const Kernel& kernel_;
  const TileTypes& types_;
  const AxisClasses& axes_;
  int number_ = 0;
  std::vector<int> phase_;                // of each statement
  std::map<std::string, int> available_;  // a tile of no blocks: the phase that may first read it
  std::map<std::string, size_t> maker_;   // of each tile
  std::set<size_t> emitted_;              // streamed statements that a loop already holds
  Kernel names_;                          // every name that is taken so far
};

}  // namespace warpledger::tile
