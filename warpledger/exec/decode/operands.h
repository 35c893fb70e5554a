// Which registers an instruction reads and writes.
#pragma once

#include <functional>

#include "warpledger/exec/decode/step.h"

namespace warpledger::exec::reference {

using VisitSlot = std::function<void(uint32_t)>;

/// Calls f(slot) for each register word of an operand, also of a list's children.
void for_each_slot(const Code& code, const Value& value, const VisitSlot& f);
/// Of each operand that a step reads (its guard too), or writes: a dropped one writes none.
void for_each_read(const Code& code, const Step& step, const VisitSlot& f);
void for_each_written(const Code& code, const Step& step, const VisitSlot& f);
/// The same whether the step is dropped or not: what the instruction says.
void for_each_named(const Code& code, const Step& step, const VisitSlot& read,
                    const VisitSlot& written);

}  // namespace warpledger::exec::reference
