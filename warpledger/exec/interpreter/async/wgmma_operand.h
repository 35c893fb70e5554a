// Operands of wgmma in shared memory: where a descriptor says that they lie, and their records.
// A warp that comes by again with the same descriptor is told what was found the first time.
#pragma once

#include <optional>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/warpgroup_product.h"

namespace warpledger::exec::reference {

/// An operand in shared memory of `rows` rows from `first` on. `site`: of the trace, from the
/// step's first on; none: another warp of the group records it.
struct AskedOperand {
  uint32_t operand = 0;  // of the step
  SharedOperand shape;
  uint32_t first = 0, rows = 0;
  std::optional<uint32_t> site;
};

/// Finds an operand by its descriptor; false after a fault. What it reads is added to `work`.
[[nodiscard]] bool find_operand(const Context& context, const Step& step, AskedOperand asked,
                                SharedSource& source, MatrixWork& work);

}  // namespace warpledger::exec::reference
