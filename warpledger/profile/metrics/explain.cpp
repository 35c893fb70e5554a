#include "warpledger/profile/metrics/explain.h"

#include <algorithm>
#include <cmath>

namespace warpledger::profile {
namespace {

using Kind = Term::Kind;

/// The part that decides: of the busiest of several units, that one.
const Term& deciding_part(const Term& term, const Evidence& evidence) {
  WL_CHECK(term.kind() == Kind::kBusiest);
  const Term* most = &term.parts().front();
  double highest = -1;
  for (const Term& part : term.parts()) {
    const double value = part(evidence).number().value_or(-1);
    if (value > highest) {
      highest = value;
      most = &part;
    }
  }
  return *most;
}

/// Walks a formula and collects what it names and what it is made of, each once.
class Walk {
 public:
  Walk(const Profile& profile, Explanation& explanation)
      : profile_(profile), evidence_{profile, profile.counters}, explanation_(explanation) {}

  void visit(const Term& term) {
    switch (term.kind()) {
      case Kind::kNumber:
        return;
      case Kind::kInput:
        return note(term.input());
      case Kind::kNamed:
        return visit_named(term);
      case Kind::kBusiest:
        for (const Term& part : term.parts()) note_value(part);
        return visit(deciding_part(term, evidence_));
      default:
        for (const Term& part : term.parts()) visit(part);
    }
  }

  [[nodiscard]] const std::vector<const Input*>& fed() const { return fed_; }

 private:
  void visit_named(const Term& term) {
    for (const FormulaLine& line : explanation_.formulas) {
      if (line.name == term.name() && !line.formula.empty()) return;
    }
    note_value(term).formula = term.parts()[0].text();
    visit(term.parts()[0]);
  }

  /// A metric that the formula names, with its value; its own formula only where it decides.
  FormulaLine& note_value(const Term& term) {
    const std::string name = term.text();
    for (FormulaLine& line : explanation_.formulas) {
      if (line.name == name) return line;
    }
    const Result<Metric> metric = find_metric(name);
    FormulaLine line{.name = name, .unit = metric ? metric->unit : ""};
    line.value = metric ? evaluate(*metric, profile_) : term(evidence_);
    explanation_.formulas.push_back(std::move(line));
    return explanation_.formulas.back();
  }

  void note(const Input& input) {
    for (const ExplainedInput& one : explanation_.inputs) {
      if (one.name == input.name) return;
    }
    const Value value = input.value(evidence_);
    const bool counts = !input.is_factor && (input.shares || !input.rest.empty());
    const bool is_fed = counts && value.number().has_value();
    explanation_.inputs.push_back({input.name, value, input.is_factor, is_fed});
    if (is_fed) fed_.push_back(&input);
  }

  const Profile& profile_;
  Evidence evidence_;
  Explanation& explanation_;
  std::vector<const Input*> fed_;
};

constexpr const char* kNotByInstruction = "not kept by instruction";

/// What no instruction added to one input, as a feeder without an instruction.
void add_rest(const Input& input, size_t column, size_t columns, double rest,
              std::vector<Feeder>& feeders) {
  const std::string words = input.rest.empty() ? kNotByInstruction : input.rest;
  for (Feeder& feeder : feeders) {
    if (feeder.words != words) continue;
    feeder.added[column] += rest;
    return;
  }
  Feeder feeder{.words = words, .added = std::vector<double>(columns)};
  feeder.added[column] = rest;
  feeders.push_back(std::move(feeder));
}

std::vector<Feeder> feeders_of(const Evidence& evidence, const std::vector<const Input*>& inputs) {
  std::vector<Shares> columns;
  for (const Input* input : inputs)
    columns.push_back(input->shares ? input->shares(evidence) : Shares());
  std::vector<Feeder> feeders;
  for (uint32_t i = 0; i < evidence.profile.code.size(); ++i) {
    Feeder feeder{.instruction = i};
    for (const Shares& shares : columns) feeder.added.push_back(i < shares.size() ? shares[i] : 0);
    const auto is_zero = [](double x) { return x == 0; };
    if (!std::all_of(feeder.added.begin(), feeder.added.end(), is_zero))
      feeders.push_back(std::move(feeder));
  }
  std::stable_sort(feeders.begin(), feeders.end(),
                   [](const Feeder& a, const Feeder& b) { return a.added > b.added; });
  for (size_t column = 0; column < inputs.size(); ++column) {
    double rest = inputs[column]->value(evidence).number().value_or(0);
    for (const double share : columns[column]) rest -= share;
    if (rest != 0) add_rest(*inputs[column], column, inputs.size(), rest, feeders);
  }
  return feeders;
}

/// The formula on other values of the inputs that are fed.
std::function<Value(const std::vector<double>&)> on_other_counts(
    const Term& formula, const std::vector<const Input*>& inputs, const Profile& profile) {
  return [=, &profile](const std::vector<double>& added) {
    const Evidence evidence{profile, profile.counters};
    const Term::Lookup lookup = [&](const Input& input) {
      Value value = input.value(evidence);
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i]->name == input.name) value.raw = added[i];
      }
      return value;
    };
    return formula.evaluate(lookup, profile.timing.has_value());
  };
}

bool is_ratio(const Term& term) { return term.kind() == Kind::kRatio; }

}  // namespace

Result<Explanation> explain(const Profile& profile, const std::string& name) {
  WL_TRY(const Metric metric, find_metric(name));
  Explanation made{.metric = metric.name,
                   .unit = metric.unit,
                   .value = evaluate(metric, profile),
                   .rule = find_rule(metric.name),
                   .error = find_error(metric.name)};
  Walk walk(profile, made);
  walk.visit(Term::named(metric.name, metric.formula));
  made.feeders = feeders_of({profile, profile.counters}, walk.fed());
  if (is_ratio(metric.formula)) made.alone = on_other_counts(metric.formula, walk.fed(), profile);
  return made;
}

}  // namespace warpledger::profile
