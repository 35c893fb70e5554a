// A launch that ran as machine code, in the words of a profile: its instructions are the lines of
// the code, each counted by itself. Nothing is mapped to PTX but source lines, where there are
// some.
#pragma once

#include "warpledger/exec/decode/engine.h"
#include "warpledger/exec/machine/listing.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::profile {

/// Whether the request's launch runs as machine code: asked for, or all there is.
[[nodiscard]] bool runs_machine_code(const Request& request);

/// What ptxas compiles for: the GPU's architecture; a module for sm_90a is for that very one.
[[nodiscard]] std::string architecture_of(const Request& request);

/// Fails where a module's machine code is for another architecture than the GPU's: it runs on that
/// generation's, from its own minor version on.
[[nodiscard]] Status check_architecture(const Request& request);

/// The machine code in the form of a witness: every instruction stands for itself.
[[nodiscard]] sass::KernelWitness own_witness(const exec::machine::Listing& listing);

/// Every instruction as a line. Source lines come from the PTX that it was compiled from; of a
/// cubin without PTX none are known.
[[nodiscard]] std::vector<CodeLine> machine_lines(const Request& request,
                                                  const exec::machine::Listing& listing);
/// How often each ran.
void set_counts(const std::vector<exec::InstructionCount>& counts, std::vector<CodeLine>& lines);

/// Warp instructions of one opcode.
[[nodiscard]] uint64_t executions_of(const exec::machine::Listing& listing,
                                     const std::vector<CodeLine>& code, std::string_view opcode);

/// Warp instructions that read a component of threadIdx.
[[nodiscard]] uint64_t thread_index_reads(const exec::machine::Listing& listing,
                                          const std::vector<CodeLine>& code);

}  // namespace warpledger::profile
