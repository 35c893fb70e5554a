#include "warpledger/plan/search.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/number.h"

namespace warpledger::plan {
namespace {

constexpr int64_t kMaxStages = 32;
constexpr int64_t kMaxCombinations = 10000;

struct Trial {
  Plan plan;
  Fit fit;
};

Result<Trial> try_sizes(const PlanReader& read, const Sizes& sizes, const Gpu& gpu) {
  WL_TRY(Plan plan, read(sizes));
  WL_TRY(Fit fits, fit(plan, place(plan), gpu));
  return Trial{std::move(plan), std::move(fits)};
}

class Sweep {
 public:
  Sweep(const PlanReader& read, const std::vector<Range>& ranges, const Gpu& gpu)
      : read_(read), ranges_(ranges), gpu_(gpu) {}

  Result<Choices> run(const Sizes& fixed) {
    WL_TRY(const Plan plan, read_(fixed));
    const auto is_stages = [](const Range& range) { return range.name == "stages"; };
    deepens_ = plan.sizes.contains("stages") && !fixed.contains("stages") &&
               std::none_of(ranges_.begin(), ranges_.end(), is_stages);
    WL_TRY_STATUS(vary(0, fixed, {}));
    mark_best();
    return std::move(choices_);
  }

 private:
  Status vary(size_t which, const Sizes& sizes, const Sizes& shown) {
    if (which == ranges_.size()) return deepens_ ? deepen(sizes, shown) : attempt(sizes, shown);
    for (int64_t value : ranges_[which].values) {
      Sizes next = sizes, next_shown = shown;
      next[ranges_[which].name] = next_shown[ranges_[which].name] = value;
      WL_TRY_STATUS(vary(which + 1, next, next_shown));
    }
    return {};
  }

  Status deepen(const Sizes& sizes, const Sizes& shown) {
    for (int64_t stages = 1; stages <= kMaxStages; ++stages) {
      Sizes next = sizes, next_shown = shown;
      next["stages"] = next_shown["stages"] = stages;
      const size_t before = choices_.fitting.size();
      WL_TRY_STATUS(attempt(next, next_shown));
      if (choices_.fitting.size() == before) return {};
    }
    return {};
  }

  Status attempt(const Sizes& sizes, const Sizes& shown) {
    if (++choices_.tried > kMaxCombinations) {
      return Diagnostic{.message = fmt::format("more than {} combinations", kMaxCombinations),
                        .hint = "vary fewer sizes at a time",
                        .code = "too-large"};
    }
    WL_TRY(const Trial trial, try_sizes(read_, sizes, gpu_));
    const Fit& fits = trial.fit;
    if (!fits.fits() || fits.blocks_per_sm < trial.plan.ctas_per_sm) {
      if (!choices_.nearest || fits.missing_bytes() < choices_.nearest_missing_bytes) {
        choices_.nearest = shown;
        choices_.nearest_missing_bytes = fits.missing_bytes();
      }
      return {};
    }
    Choice choice{.sizes = shown,
                  .shared_bytes = fits.shared_bytes,
                  .tensor_columns = fits.tensor_columns,
                  .blocks_per_sm = fits.blocks_per_sm};
    if (fits.in_flight) {
      choice.bytes_in_flight = fits.in_flight->bytes_per_sm;
      choice.hides = fits.in_flight->ratio();
      choice.fidelity = fits.in_flight->fidelity;
    }
    choices_.fitting.push_back(std::move(choice));
    return {};
  }

  /// At least as large in everything, and larger in something.
  static bool beats(const Choice& a, const Choice& b) {
    bool larger = a.blocks_per_sm > b.blocks_per_sm || a.bytes_in_flight > b.bytes_in_flight;
    if (a.blocks_per_sm < b.blocks_per_sm || a.bytes_in_flight < b.bytes_in_flight) return false;
    for (const auto& [name, value] : a.sizes) {
      if (value < b.sizes.at(name)) return false;
      larger = larger || value > b.sizes.at(name);
    }
    return larger;
  }
  void mark_best() {
    for (Choice& one : choices_.fitting) {
      one.is_best = std::none_of(choices_.fitting.begin(), choices_.fitting.end(),
                                 [&](const Choice& other) { return beats(other, one); });
    }
  }

  const PlanReader& read_;
  const std::vector<Range>& ranges_;
  const Gpu& gpu_;
  bool deepens_ = false;
  Choices choices_;
};

}  // namespace

Result<Choices> search(const PlanReader& read, const Sizes& fixed, const std::vector<Range>& ranges,
                       const Gpu& gpu) {
  return Sweep(read, ranges, gpu).run(fixed);
}

Table choices_table(const Choices& choices, bool best_only) {
  Table table{.title = best_only ? "Pareto-optimal choices" : "choices that fit"};
  if (!choices.fitting.empty()) {
    for (const auto& [name, value] : choices.fitting.front().sizes) {
      table.columns.push_back({name, name, Align::kRight});
    }
  }
  for (Column column :
       std::vector<Column>{{"smem bytes", "smem_bytes", Align::kRight},
                           {"TMEM columns", "tmem_columns", Align::kRight},
                           {"blocks/SM", "blocks_per_sm", Align::kRight},
                           {"bytes in flight/SM", "in_flight_bytes", Align::kRight},
                           {"DRAM latency hidden", "dram_latency_hidden", Align::kRight}}) {
    table.columns.push_back(std::move(column));
  }
  for (const Choice& choice : choices.fitting) {
    if (best_only && !choice.is_best) continue;
    Row row;
    for (const auto& [name, value] : choice.sizes) {
      row.cells.emplace_back(value, Fidelity::kExact);
    }
    row.cells.emplace_back(choice.shared_bytes, Fidelity::kExact);
    row.cells.emplace_back(choice.tensor_columns, Fidelity::kExact);
    row.cells.emplace_back(choice.blocks_per_sm, Fidelity::kExact);
    row.cells.emplace_back(choice.bytes_in_flight, Fidelity::kExact);
    row.cells.push_back(
        choice.hides ? Cell(fmt::format("{:.1f}x", *choice.hides), *choice.hides, choice.fidelity)
                     : Cell());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<std::optional<OtherStages>> other_stages(const PlanReader& read, const Sizes& fixed,
                                                const Plan& plan, const Fit& fit) {
  const auto stages = plan.sizes.find("stages");
  if (stages == plan.sizes.end()) return std::optional<OtherStages>();
  const auto needs = [&](int64_t count) -> Result<StageNeeds> {
    Sizes sizes = fixed;
    sizes["stages"] = count;
    WL_TRY(const Plan other, read(sizes));
    const Placement placement = place(other);
    return StageNeeds{count, placement.shared.packing.total, placement.tensor.packing.total};
  };
  OtherStages others;
  WL_TRY(others.next, needs(stages->second + 1));
  for (int64_t count = stages->second - 1; count >= 1 && !fit.fits() && !others.deepest; --count) {
    WL_TRY(const StageNeeds fewer, needs(count));
    if (fewer.bytes <= fit.shared_limit && fewer.columns <= fit.tensor_limit)
      others.deepest = fewer;
  }
  return std::optional(others);
}

}  // namespace warpledger::plan
