// What an engine counted, in the words of a profile: instructions with their text and source lines.
#pragma once

#include "warpledger/exec/decode/engine.h"
#include "warpledger/exec/decode/image.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/opcode.h"

namespace warpledger::profile {

/// The functions that a kernel runs, as its instructions are numbered: itself, then what it calls.
[[nodiscard]] std::vector<const ptx::Function*> functions_of(const ptx::Module& module,
                                                             const exec::KernelLayout& layout);

/// Every instruction of the functions, with how often it ran and the user's line of it.
[[nodiscard]] std::vector<CodeLine> code_of(const ptx::Module& module,
                                            const std::vector<const ptx::Function*>& functions,
                                            const std::vector<exec::InstructionCount>& counts);

/// The lines that the compiler noted for a PTX instruction.
void set_lines(const ptx::Module& module, const ptx::Function& function,
               const ptx::Instruction& instruction, CodeLine& line);

/// Of the file in which the kernel's first instruction with a source line stands; "" when none has
/// one, or its path has no folder.
[[nodiscard]] std::string source_folder_of(const ptx::Module& module,
                                           const std::vector<const ptx::Function*>& functions);

/// Warp instructions of one opcode.
[[nodiscard]] uint64_t executions_of(const ptx::Module& module,
                                     const std::vector<const ptx::Function*>& functions,
                                     const std::vector<CodeLine>& code, ptx::Op op);

/// The components of threadIdx that the functions read; ptxas reads each once per warp (S2R).
[[nodiscard]] uint64_t thread_index_components(const std::vector<const ptx::Function*>& functions);

[[nodiscard]] Execution execution_of(const exec::Statistics& counted);

}  // namespace warpledger::profile
