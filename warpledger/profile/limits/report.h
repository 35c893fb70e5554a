// What was checked, for those who read it: people, JUnit's readers, GitHub.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/profile/limits/judge.h"

namespace warpledger::profile::budget {

/// One limit of one launch.
struct Checked {
  std::string budget = {};
  std::string launch = {};       // "matmul_tiled on a100"
  Location limit_at = {};        // in the budgets file
  std::string kernel_file = {};  // as a path from where the command was run; may be ""
  Judgment judgment = {};
};

struct Count {
  size_t kept = 0, broken = 0, unknown = 0;
};
[[nodiscard]] Count count(const std::vector<Checked>& all);

/// "7 limits: 5 kept, 1 broken, 1 unknown".
[[nodiscard]] std::string headline(const std::vector<Checked>& all);

/// What is broken or unknown, each with its place, its size and its lines; "" when all is kept.
[[nodiscard]] std::string breaches(const std::vector<Checked>& all);

/// A row for each limit.
[[nodiscard]] Table table_of(const std::vector<Checked>& all);

/// JUnit's XML, as CI servers read it: a suite for each budget, a case for each limit and launch.
[[nodiscard]] std::string to_junit(const std::vector<Checked>& all, const std::string& title);

/// GitHub's annotations, a line for each breach: at the source line that causes it, else at the
/// limit.
[[nodiscard]] std::string to_github(const std::vector<Checked>& all);

}  // namespace warpledger::profile::budget
