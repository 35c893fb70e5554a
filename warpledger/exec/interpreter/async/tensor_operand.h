// Operands of tcgen05 as steps have them.
#pragma once

#include <string>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"

namespace warpledger::exec::reference {

/// [taddr] of an operand.
[[nodiscard]] TensorAddress tensor_address(const Context& context, const Value& value, int lane);
/// False after a fault: another .cta_group than before.
bool keeps_group(const Context& context, const Step& step);
/// False after a fault: work in flight writes some of these columns.
bool is_quiet(const Context& context, const Step& step, uint32_t column, uint32_t columns);

/// The operand's descriptor, checked against every CTA that holds a part (null: none), and the
/// chunks that it reads, numbered as SharedUse has them; false after a fault. `site`: which of the
/// step's the reads are recorded at.
bool read_tensor_descriptor(const Context& context, const Step& step, int lane, uint64_t bits,
                            SharedOperand& operand, std::span<Cta* const> ctas, uint32_t site,
                            std::vector<uint32_t>& chunks);

}  // namespace warpledger::exec::reference
