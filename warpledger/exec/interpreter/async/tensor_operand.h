// Operands of tcgen05 as steps have them.
#pragma once

#include <string>

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// [taddr] of an operand.
[[nodiscard]] TensorAddress tensor_address(const Context& context, const Value& value, int lane);
/// False after a fault: another .cta_group than before.
bool keeps_group(const Context& context, const Step& step);
/// False after a fault: work in flight writes some of these columns.
bool is_quiet(const Context& context, const Step& step, uint32_t column, uint32_t columns);

}  // namespace warpledger::exec::reference
