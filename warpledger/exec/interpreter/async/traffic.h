// What copy engine and tensor cores do to shared and tensor memory, for the trace.
//
// Sites of an instruction, from Step::site on:
//   bulk copies           global, shared
//   wgmma.mma_async       A where it lies in shared memory, B
//   tcgen05.mma           A, B, D before, D after
//   tcgen05.ld, .st       tensor memory
//   tcgen05.cp            shared, tensor memory
#pragma once

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"

namespace warpledger::exec::reference {

/// The chunks of an operand from row `first` on, a core matrix (8 rows, or 8 k) at a time.
void record_operand(const Context& context, const Step& step, uint32_t site_offset,
                    const SharedOperand& operand, std::span<const uint32_t> chunks,
                    uint32_t first = 0);

/// Bytes that the copy engine moves at an offset of shared memory, in so many CTAs.
void record_shared_run(const Context& context, const Step& step, uint64_t offset, uint64_t bytes,
                       int ctas = 1);

/// Cells of tensor memory: `columns` of them from `at` on.
void record_cells(const Context& context, const Step& step, uint32_t site_offset, TensorAddress at,
                  uint32_t columns, uint64_t bytes);

}  // namespace warpledger::exec::reference
