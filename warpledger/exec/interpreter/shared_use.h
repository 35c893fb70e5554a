// What is known of shared memory beyond its bytes: which swizzle a tile was written with, and which
// tensor-core work still reads it.
#pragma once

#include "warpledger/exec/decode/slice/base.h"
#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

inline constexpr uint32_t kChunkBytes = 16;

/// The instruction in flight that reads one of the pieces of [offset, offset + size), the last to
/// be issued; null: none.
[[nodiscard]] const Step* find_reader(const SharedUse& use, uint64_t offset, uint64_t size);

/// Whether note_write() of bytes in [low, end) of the CTA's own shared memory would find and change
/// nothing. May say no without need. `guessed`: Slice::guessed.
[[nodiscard]] bool concerns_nobody(const SharedUse& use, std::span<const SharedRange> guessed,
                                   uint64_t low, uint64_t end);

/// A write is about to happen: what was known of the tile is void. False after a fault: something
/// in flight reads there.
bool note_write(const Context& context, const SpaceAddress& at, uint64_t size, int lane);
/// The same for a copy into `owner`, at offsets of its shared memory.
bool note_copy(const Context& context, const Step& step, int lane, Cta& owner,
               const BulkBytes& what);

/// The bytes were written by a tile copy of that mode (SharedUse::mode). Pre: size > 0, and the use
/// has modes.
void note_mode(SharedUse& use, uint64_t offset, uint64_t size, uint8_t mode);

/// A kept write to the bytes makes them good, a dropped one spoils what the slice guessed to be out
/// of its way.
void note_values(const Engine& engine, Cta& owner, const Step& step, uint64_t offset,
                 uint64_t size);
/// False: a kept read needs bytes that a dropped write has spoiled.
[[nodiscard]] bool has_values(const Engine& engine, const Cta& owner, uint64_t offset,
                              uint64_t size);

/// The step's work reads these operands until end_reads().
void begin_reads(SharedUse& use, const Step& step, const KnownOperands& operands);
void end_reads(SharedUse& use, const KnownOperands& operands);

}  // namespace warpledger::exec::reference
