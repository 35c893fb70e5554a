// Where the bytes of an address lie, for one lane.
#pragma once

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {

/// The `bytes` that a lane may touch at `address` of that class; null, and the launch is stopped,
/// where they lie nowhere or are not aligned.
[[nodiscard]] std::byte* find_bytes(Lane& lane, const Instruction& instruction, MemoryClass memory,
                                    uint64_t address, size_t bytes);

/// The bytes at a generic address; null where the lane may not touch them.
[[nodiscard]] std::byte* generic_bytes(Lane& lane, uint64_t address, size_t bytes);

/// The operand in brackets that comes last: of LDGSTS its source. Pre: there is one.
[[nodiscard]] const Operand& address_operand(const Instruction& instruction);

/// Bytes that one lane moves: 1, 2, 4, 8 or 16.
[[nodiscard]] size_t width_of(const Instruction& instruction);

struct CopySource {
  uint64_t address = 0;
  size_t bytes = 0;
};

/// What an LDGSTS reads for a lane. The low bits of .ZFILL's address are no part of it: they say
/// how many bytes at the end are not read but zero.
[[nodiscard]] CopySource copy_source(Lane& lane, const Instruction& instruction);

/// Writes what a lane's LDGSTS of the groups below `groups` have read.
void finish_late_writes(Lane& lane, uint32_t groups);

/// Ends a thread's bulk copies out of shared memory but those of the newest `left` groups.
void finish_stores(BulkGroups& bulk, size_t left);

/// Bytes that one lane of an atomic operation changes: 4 or 8.
[[nodiscard]] size_t update_width(const Instruction& instruction);

}  // namespace warpledger::exec::machine
