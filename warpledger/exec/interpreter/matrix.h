// What the matrix instructions share.
#pragma once

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec::reference {

[[nodiscard]] MatrixRegisters read_registers(const Context& context, const Value& value);
void write_registers(const Context& context, const Value& value, const MatrixRegisters& registers);

/// True when all 32 lanes are here; else the fragment waits, or the launch has failed.
[[nodiscard]] bool needs_whole_warp(Context& context, const Step& step);

Outcome run_wmma_load(Context& context, const Step& step);
Outcome run_wmma_store(Context& context, const Step& step);

}  // namespace warpledger::exec::reference
