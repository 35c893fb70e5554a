// Many sizes of one plan: the deepest pipeline of each tile shape, and which choices no other
// beats.
#pragma once

#include <functional>

#include "warpledger/base/table.h"
#include "warpledger/plan/fit.h"
#include "warpledger/plan/parse.h"
#include "warpledger/plan/report.h"

namespace warpledger::plan {

/// Reads the same plan with other sizes: from a .plan text, or from a kernel of a .tile program.
using PlanReader = std::function<Result<Plan>(const Sizes& replaced)>;

/// One `let` and the values to try for it.
struct Range {
  std::string name;
  std::vector<int64_t> values;
};

/// One choice that fits.
struct Choice {
  Sizes sizes;  // of the varied names and of "stages"
  int64_t shared_bytes = 0;
  int64_t tensor_columns = 0;
  int64_t blocks_per_sm = 0;
  int64_t bytes_in_flight = 0;             // on an SM
  std::optional<double> hides = {};        // times the DRAM latency
  Fidelity fidelity = Fidelity::kModeled;  // of `hides`
  bool is_best = false;  // no other choice is at least as large in every size, in blocks and in
                         // bytes in flight, and larger in one
};

struct Choices {
  std::vector<Choice> fitting;
  int64_t tried = 0;
  std::optional<Sizes> nearest = {};  // when nothing fits: the choice that misses by least
  int64_t nearest_missing_bytes = 0;
};

/// Every combination of `ranges`, each with every number of stages from 1 to the most that fit when
/// the plan has `let stages` and no range of that name. `fixed` replaces other sizes.
[[nodiscard]] Result<Choices> search(const PlanReader& read, const Sizes& fixed,
                                     const std::vector<Range>& ranges, const Gpu& gpu);

[[nodiscard]] Table choices_table(const Choices& choices, bool best_only);

/// The same plan with one stage more, and the deepest that fits when it does not fit itself;
/// nothing when it has no `let stages`.
[[nodiscard]] Result<std::optional<OtherStages>> other_stages(const PlanReader& read,
                                                              const Sizes& fixed, const Plan& plan,
                                                              const Fit& fit);

}  // namespace warpledger::plan
