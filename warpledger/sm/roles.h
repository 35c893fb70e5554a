// The ways of warps that play different roles, from the counts of each role.
#pragma once

#include <vector>

#include "warpledger/sm/program.h"

namespace warpledger::sm {

/// Roles, operations and barriers of `counts`. Pre: counts.paths, and the program has its code.
void add_roles(const std::vector<sass::SassBlock>& from, const Counts& counts, Program& program);

}  // namespace warpledger::sm
