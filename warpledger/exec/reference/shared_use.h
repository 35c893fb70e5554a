// What is known of shared memory beyond its bytes: which swizzle a tile was written with, and which
// tensor-core work still reads it.
#pragma once

#include "warpledger/exec/reference/context.h"

namespace warpledger::exec::reference {

inline constexpr uint32_t kChunkBytes = 16;

/// A write is about to happen: what was known of the tile is void. False after a fault: something
/// in flight reads there.
bool note_write(const Context& context, const SpaceAddress& at, uint64_t size, int lane);
/// The same for a copy into `owner`, at offsets of its shared memory.
bool note_copy(const Context& context, const Step& step, int lane, Cta& owner,
               const BulkBytes& what);

/// The work reads these chunks of `cta` until end_reads().
void begin_reads(Cta& cta, const Step& step, std::span<const uint32_t> chunks);
void end_reads(Cta& cta, std::span<const uint32_t> chunks);

}  // namespace warpledger::exec::reference
