// Why a metric has its value: the formula, the counters in it, the instructions and source lines
// that feed them, the rule behind it and its source, and how far it was from published reports.
// Everything follows from the metric's Term (term.h), rules.h and validation_errors.h.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/rules.h"
#include "warpledger/profile/metrics/validation_errors.h"

namespace warpledger::profile {

/// "`name` = `formula`": the metric, then those that its formula names.
struct FormulaLine {
  std::string name = {};
  std::string formula = {};
  Value value = {};
  std::string unit = {};
};

/// A counter, a fact of the GPU or a result of the time model.
struct ExplainedInput {
  std::string name = {};
  Value value = {};
  bool is_factor = false;  // of the GPU's file
  bool is_fed = false;     // by instructions: it has a column in `feeders`
};

/// What an instruction added to the inputs that are fed, in their order. Or what none added.
struct Feeder {
  uint32_t instruction = UINT32_MAX;  // its place in Profile::code; else see `words`
  std::string words = {};             // "shuffles, reads of threadIdx"
  std::vector<double> added = {};
};

struct Explanation {
  std::string metric = {};
  std::string unit = {};
  Value value = {};
  std::vector<FormulaLine> formulas = {};
  std::vector<ExplainedInput> inputs = {};  // each once, as they stand in the formulas
  std::vector<Feeder> feeders = {};         // most of the first input first; what is none's last
  const Rule* rule = nullptr;
  const MetricError* error = nullptr;
  /// Of a ratio, else null: what it would be if only this had been added to the inputs. Valid as
  /// long as the profile lives.
  std::function<Value(const std::vector<double>& added)> alone = nullptr;
};

/// Fails for a name that is not a metric's. Post: for every input that is fed, `added` of all
/// feeders sums up to its value.
[[nodiscard]] Result<Explanation> explain(const Profile& profile, const std::string& metric);

/// As tables: formula, counters, source lines, instructions; up to `rows` of the last two, the
/// others in a row of their own.
[[nodiscard]] std::vector<Table> tables_of(const Explanation& explanation, const Profile& profile,
                                           size_t rows = 8);

/// One row each: value, rule, source and error, for scripts.
[[nodiscard]] Table summary_table(const std::vector<Explanation>& explanations);

/// "l1tex__t_sector_hit_rate.pct = 87.21 % (modeled)", and the rule, its source and the error.
[[nodiscard]] std::vector<std::string> lines_of(const Explanation& explanation);

}  // namespace warpledger::profile
