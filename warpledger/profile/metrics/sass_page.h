// The source page in SASS: what each machine instruction did, which registers are alive there,
// whose results it reads, what it waits for.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// One row per machine instruction, by address. Notes say what is absent, and why.
[[nodiscard]] Table sass_table(const Profile& profile, const MachineCode& code);

/// The same, each source line followed by its instructions (ncu's cuda,sass). `text_of` gives the
/// line's text.
[[nodiscard]] Table lines_with_sass(const Profile& profile, const MachineCode& code,
                                    const std::map<SourceLine, std::string>& text_of);

/// Warp cycles of the simulated SM by reason, of the instructions at which warps stood. Without
/// rows where there are none.
[[nodiscard]] Table stall_table(const MachineCode& code);

/// Executed instructions by opcode, the most frequent first.
[[nodiscard]] Table opcode_table(const Profile& profile, const MachineCode& code);

// Cells of a line, for those who show it otherwise:
/// "SB0: #12 LDG.E": the scoreboards that it waits for, and who took them; may be "".
[[nodiscard]] std::string waits_text(const MachineCode& code, const MachineLine& line);
/// "#3 R2, #7 R4-R5": whose results it reads; may be "".
[[nodiscard]] std::string inputs_text(const MachineLine& line);
/// The reason for which warps stood there longest; "" where they did not.
[[nodiscard]] std::string longest_wait(const MachineLine& line);
/// Warp cycles at it, of 100 at all lines; nothing without states.
[[nodiscard]] std::optional<double> cycles_percent(const MachineCode& code,
                                                   const MachineLine& line);

}  // namespace warpledger::profile
