// Which spellings of machine code (opcode and modifiers, "IMAD.WIDE.U32") run: those that have run
// in a kernel whose memory was equal to its PTX's, on an architecture of the same family. Families
// share operands and their order; across them one spelling may name others (ATOMS.CAST.SPIN
// answers in a register before sm_100 and in a predicate since). tools/machine-spellings keeps the
// list, spellings.def.
#pragma once

#include <cstdint>
#include <string_view>

#include "warpledger/exec/machine/program.h"

namespace warpledger::exec::machine {

/// Which run: in the tests that verify them, all.
enum class Spellings : uint8_t { kVerified, kAll };

[[nodiscard]] bool is_verified(std::string_view spelling, int architecture);

/// Takes its row from every instruction whose spelling is not verified: executing it stops the
/// launch by its name.
void refuse_unverified(Program& program, int architecture);

}  // namespace warpledger::exec::machine
