#include "warpledger/exec/machine/compare.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using Order = numeric::Order;

/// Which orders satisfy a comparison, as bits 1 << Order.
struct Rule {
  M comparison;
  bool less, equal, greater, unordered;
};
constexpr Rule kRules[] = {
    {M::kF, false, false, false, false},  {M::kLT, true, false, false, false},
    {M::kEQ, false, true, false, false},  {M::kLE, true, true, false, false},
    {M::kGT, false, false, true, false},  {M::kNE, true, false, true, false},
    {M::kGE, false, true, true, false},   {M::kNUM, true, true, true, false},
    {M::kNAN, false, false, false, true}, {M::kLTU, true, false, false, true},
    {M::kEQU, false, true, false, true},  {M::kLEU, true, true, false, true},
    {M::kGTU, false, false, true, true},  {M::kNEU, true, false, true, true},
    {M::kGEU, false, true, true, true},   {M::kT, true, true, true, true},
};

const Rule* find_rule(M comparison) {
  for (const Rule& rule : kRules) {
    if (rule.comparison == comparison) return &rule;
  }
  return nullptr;
}

}  // namespace

M comparison_of(const Modifiers& modifiers) {
  for (const M one : modifiers.list()) {
    if (find_rule(one) != nullptr) return one;
  }
  return M::kF;
}

bool holds(M comparison, Order order) {
  const Rule* rule = find_rule(comparison);
  if (rule == nullptr) return false;
  switch (order) {
    case Order::kLess:
      return rule->less;
    case Order::kEqual:
      return rule->equal;
    case Order::kGreater:
      return rule->greater;
    default:
      return rule->unordered;
  }
}

numeric::Mode mode_of(const Modifiers& modifiers) {
  numeric::Mode mode{.ftz = modifiers.has(M::kFTZ),
                     .sat = modifiers.has(M::kSAT),
                     .relu = modifiers.has(M::kRELU)};
  if (modifiers.has(M::kRZ)) mode.rounding = numeric::Rounding::kZero;
  if (modifiers.has(M::kRM)) mode.rounding = numeric::Rounding::kDown;
  if (modifiers.has(M::kRP)) mode.rounding = numeric::Rounding::kUp;
  return mode;
}

}  // namespace warpledger::exec::machine
