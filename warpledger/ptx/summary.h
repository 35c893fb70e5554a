// What a module holds, as tables: its functions with what they ask for, and its instructions by
// family and tier.
#pragma once

#include <vector>

#include "warpledger/base/table.h"
#include "warpledger/ptx/module.h"

namespace warpledger::ptx {

[[nodiscard]] std::vector<Table> summarize(const Module& module);

/// Bytes of the parameters of an entry as the driver lays them out: in order, each at its
/// alignment.
[[nodiscard]] uint64_t parameter_bytes(const Module& module, const Function& function);

/// Bytes of the variables in shared memory that the function's body or operands name; those of the
/// functions it calls are not included.
[[nodiscard]] uint64_t static_shared_bytes(const Module& module, const Function& function);

}  // namespace warpledger::ptx
