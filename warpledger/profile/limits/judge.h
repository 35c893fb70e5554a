// A limit and a profile -> whether it is kept, and if not, by how much and because of which lines.
#pragma once

#include "warpledger/profile/limits/baseline.h"
#include "warpledger/profile/limits/limit.h"
#include "warpledger/profile/limits/quantity.h"

namespace warpledger::profile::budget {

enum class State : uint8_t {
  kKept,
  kBroken,
  kUnknown,  // it names what this profile does not know
};
[[nodiscard]] std::string_view to_text(State state);

struct Judgment {
  State state = State::kUnknown;
  std::string limit = {};   // as written
  std::string metric = {};  // alone on the left, or ""
  std::string unit = {};
  double value = 0, bound = 0;  // left and right side
  Fidelity fidelity = Fidelity::kExact;
  std::string why = {};                 // kUnknown
  std::vector<Culprit> culprits = {};   // kBroken
  std::optional<double> baseline = {};  // what it was
  [[nodiscard]] bool is_broken() const { return state != State::kKept; }
};

/// Fails when the limit names a metric that does not exist, or an ideal that its metric has not.
[[nodiscard]] Status check_names(const Limit& limit, const Source& source);

/// Pre: check_names() is ok. `launch` is the profile's name in the baseline.
[[nodiscard]] Judgment judge(const Limit& limit, const Profile& profile, const Baseline& baseline,
                             const std::string& launch);

/// "is 4,096 (exact), the limit is 0: 4,096 more".
[[nodiscard]] std::string sentence_of(const Judgment& judgment);
/// "matmul.cu:27 ld.shared.f32: 4,032 of it (98 %)".
[[nodiscard]] std::string to_text(const Culprit& culprit);
/// 12 -> "12", 1234567.25 -> "1,234,567.25".
[[nodiscard]] std::string number_text(double value);

}  // namespace warpledger::profile::budget
