// Random ledgers: few names, so that rows of two ledgers often match; amounts are whole numbers or,
// when asked for, polynomials in N and d.
#pragma once

#include <array>

#include "tests/support/law.h"
#include "warpledger/ledger/ledger.h"

namespace warpledger::testing {

inline Amount any_amount(Rng& rng, bool symbolic) {
  const Amount whole = rng.between(0, 4096);
  if (!symbolic || rng.coin()) return whole;
  const Amount n = Expression::size("N"), d = Expression::size("d");
  return whole * n.pow(static_cast<int>(rng.between(0, 2))) * d + rng.between(0, 9) * n;
}

inline Fidelity any_fidelity(Rng& rng) {
  return rng.pick(std::array{Fidelity::kExact, Fidelity::kModeled, Fidelity::kMeasured});
}

inline Movement any_row(Rng& rng, bool symbolic) {
  static const std::array<std::string, 3> operations = {"LDS", "STG", "WGMMA"};
  static const std::array<std::string, 4> subjects = {"Q", "K \"tile\"", "gemm.cu:41", "µ"};
  Movement row{rng.pick(operations), rng.pick(subjects), {rng.pick(kLevels), rng.pick(kLevels)}};
  row.bytes_per_iteration = any_amount(rng, symbolic);
  row.iterations = any_amount(rng, symbolic);
  row.fidelity = any_fidelity(rng);
  if (rng.coin()) row.note = "implicit";
  if (rng.coin()) row.counters["sectors"] = {any_amount(rng, symbolic), any_fidelity(rng)};
  if (rng.coin()) row.counters["requests"] = {any_amount(rng, symbolic), any_fidelity(rng)};
  return row;
}

inline Ledger any_ledger(Rng& rng, bool symbolic) {
  Ledger ledger{.title = "random", .provenance = {{"gpu", "a100"}, {"version", "0.1"}}};
  for (int64_t n = rng.between(0, rng.size() / 3); n > 0; --n) {
    ledger.rows.push_back(any_row(rng, symbolic));
  }
  if (rng.coin()) {
    attribute_rest(ledger, {Level::kDram, Level::kL2},
                   {any_amount(rng, symbolic), any_fidelity(rng)});
  }
  return ledger;
}

inline Ledger any_ledger(Rng& rng) { return any_ledger(rng, rng.coin()); }

}  // namespace warpledger::testing
