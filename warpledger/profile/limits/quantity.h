// What a limit can name: short names for what people watch, any metric of ncu's by its name, any
// label of the details page. Each has a value, and where it makes sense the least that the same
// accesses could cost (`ideal`) and the source lines that it comes from.
#pragma once

#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile::budget {

/// How much of the quantity a memory instruction is to blame for; null: none can be named.
using Blame = double (*)(const trace::Site& site, const memory::SiteCounters& counters);

struct Quantity {
  std::string name = {};
  std::string unit = {};
  std::string meaning = {};  // of a short name: one line for `check --list`
  std::function<Value(const Evidence&)> value;
  std::function<Value(const Evidence&)> ideal = nullptr;
  Blame blame = nullptr;
};

/// The short names, in the order of the documents.
[[nodiscard]] const std::vector<Quantity>& short_names();

/// Fails with "unknown-metric", or "ambiguous-label" for a label that several metrics have.
[[nodiscard]] Result<Quantity> find_quantity(const std::string& name);

/// A source line, or an instruction of a kernel without lines.
struct Culprit {
  SourceLine where = {};
  std::string text = {};  // its heaviest instruction
  uint32_t ptx_line = 0;
  double amount = 0;
  double share = 0;  // of all blame, 0..1
};

/// At most `most`, the heaviest first; none when nothing is to blame.
[[nodiscard]] std::vector<Culprit> culprits_of(const Quantity& quantity, const Profile& profile,
                                               size_t most = 3);

}  // namespace warpledger::profile::budget
