// The best program that rules can reach. The search is exhaustive: breadth first until no rule
// makes a new program («closed»: the best is then optimal among all that the rules can reach) or
// until the limit; past the limit it goes on best first and says how far the best is from a proven
// bound. Deterministic: the same program, rules and sizes give the same derivation.
#pragma once

#include <optional>

#include "warpledger/base/table.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/tile/rewrite/rule.h"

namespace warpledger::tile {

enum class Objective { kTotal, kGlobal };

struct SearchOptions {
  std::vector<Rule> rules = all_rules();
  Sizes sizes = {};  // besides those that the program gives
  Objective objective = Objective::kTotal;
  std::optional<Gpu> gpu = {};       // the answer must fit it
  size_t limit = 20000;              // programs
  std::optional<double> bound = {};  // programs above bound x the start's bytes are not followed
};

/// How good a program is: fewer bytes first, then less arithmetic, then fewer statements.
struct Score {
  bool is_too_large = false;  // does not fit the GPU
  int64_t bytes = 0;          // of the objective
  int64_t total = 0;          // over all edges
  int64_t arithmetic = 0;
  size_t statements = 0;
  friend auto operator<=>(const Score&, const Score&) = default;
};

struct Step {
  std::string rule;
  std::string place;
  Score before;
  Score after;
  CheckedProgram program;  // what the step made
};

struct Optimum {
  CheckedProgram start;
  CheckedProgram best;
  Score start_score = {};
  Score best_score = {};
  std::vector<Step> steps = {};  // from start to best, the shortest derivation
  size_t programs = 0;           // reached
  bool is_closed = false;
  std::optional<double> bound = {};  // set when it kept some programs from being followed
  int64_t lower_bound = 0;           // bytes that no program of this meaning can avoid
};

/// Fails when a size has no value.
[[nodiscard]] Result<Optimum> optimize(const CheckedProgram& program, const SearchOptions& options);

/// Each input that an output depends on is read once, each output written once: what an unlimited
/// fast memory would still have to move over the edges of global memory.
[[nodiscard]] Expression compulsory_bytes(const Program& program);

[[nodiscard]] Table derivation_table(const Optimum& optimum);
/// «optimal: 12 programs reached, closed» or the gap to the proven bound.
[[nodiscard]] std::string certificate(const Optimum& optimum, Objective objective);

}  // namespace warpledger::tile
