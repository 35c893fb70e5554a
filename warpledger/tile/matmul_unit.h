// Where the matrix multipliers of each architecture take their operands from.
//   mma.sync (sm_70 ... sm_89, sm_12x): A, B and the result in registers;
//   wgmma (sm_90): A in shared memory or registers, B in shared memory, the result in registers;
//   tcgen05 (sm_10x): A in shared memory or TMEM, B in shared memory, the result in TMEM.
// (PTX ISA 9.0: "mma", "wgmma.mma_async", "tcgen05.mma".) An operand that lies in shared memory is
// loaded by each multiplication; for mma.sync that load is ldmatrix, and we count it alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpledger/tile/program.h"

namespace warpledger::tile {

struct MatmulUnit {
  std::string name;  // as a ledger row shows it: "WGMMA"
  std::vector<Space> left;
  std::vector<Space> right;
  std::vector<Space> result;
};

/// Absent for a target that is unknown.
[[nodiscard]] std::optional<MatmulUnit> matmul_unit(std::string_view target);
[[nodiscard]] std::vector<std::string> known_targets();

[[nodiscard]] bool allows(const std::vector<Space>& spaces, Space space);
/// "shared or registers".
[[nodiscard]] std::string to_text(const std::vector<Space>& spaces);

}  // namespace warpledger::tile
