// The profile as a Ledger: what each array moved over each edge, so that `compare` works on two
// profiles, or on a profile and a plan.
#pragma once

#include "warpledger/ledger/ledger.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// Rows are (opcode, array or source line, edge). Edges: dram -> l2, l2 -> l1, l1 -> reg and back,
/// smem <-> reg, l1 <-> smem for asynchronous copies, smem and tmem -> reg for operands of tensor
/// cores (one row for those of a product on the same edge), tmem <-> reg, smem -> tmem. What a
/// product adds to in tensor memory stays there and is no row. What DRAM moved for no instruction
/// of its own (check bits) is a row of its own.
[[nodiscard]] Ledger ledger_of(const Profile& profile);

}  // namespace warpledger::profile
