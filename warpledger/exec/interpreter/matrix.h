// What the matrix instructions share.
#pragma once

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec::reference {

[[nodiscard]] MatrixRegisters read_registers(const Context& context, const Value& value);
void write_registers(const Context& context, const Value& value, const MatrixRegisters& registers);

/// The lanes of a register that holds 32 bits as they stand; null for what has to be read or
/// written otherwise.
[[nodiscard]] inline uint64_t* row_of(const Context& context, const Value& value) {
  if (value.kind != Value::Kind::kRegister || value.bits != 32 || value.negated) return nullptr;
  return context.frame().registers.data() + size_t{value.slot} * kWarpSize;
}

/// True when all 32 lanes are here; else the fragment waits, or the launch has failed.
[[nodiscard]] bool needs_whole_warp(Context& context, const Step& step);

Outcome run_wmma_load(Context& context, const Step& step);
Outcome run_wmma_store(Context& context, const Step& step);

}  // namespace warpledger::exec::reference
