// Operands of wgmma and tcgen05 in shared memory: where a descriptor says that they lie, and their
// records. A warp that comes by again with the same descriptor is told what was found the first
// time.
#pragma once

#include <optional>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"

namespace warpledger::exec::reference {

/// An operand of `rows` rows from `first` on: the rest of `shape` is the descriptor's.
struct AskedOperand {
  OperandKey key;
  DescriptorKind kind = DescriptorKind::kWgmma;
  SharedOperand shape;  // without its descriptor
  uint32_t first = 0;
  std::optional<uint32_t> site;  // of the trace, from the step's first on; none: another warp's
  int lane = 0;                  // to be named in a fault
};

/// Finds an operand by its descriptor, checks it against every CTA that holds a part (null: none)
/// and records that each is read. Null after a fault.
[[nodiscard]] std::shared_ptr<const KnownOperand> find_operand(const Context& context,
                                                               const AskedOperand& asked,
                                                               std::span<Cta* const> ctas);

}  // namespace warpledger::exec::reference
