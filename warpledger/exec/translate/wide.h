// Sums of 64 bits that machine code makes in two steps: the lower word with a carry, the upper one
// with it. Translated as one sum, an address stays what compiled code knows most of.
#pragma once

#include "warpledger/exec/translate/writer.h"

namespace warpledger::exec::translate {

/// Pre: the instruction adds and writes a carry. If an instruction before `end` makes the upper
/// word of the same sum, the sum is written now and kept in Writer::uppers. Its register, or "".
[[nodiscard]] std::string write_wide_sum(Writer& writer, uint32_t end);

/// Whether the instruction is such an upper word, which is then written.
[[nodiscard]] bool write_upper(Writer& writer);

}  // namespace warpledger::exec::translate
