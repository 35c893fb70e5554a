// What ptxas made of the kernel, as far as counters depend on it: merged and dropped accesses,
// machine instructions. From the SASS witness; absent where there is no ptxas or nvdisasm, and then
// the PTX's own instructions are counted.
#pragma once

#include "warpledger/exec/decode/image.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/sass/witness/counts.h"
#include "warpledger/sass/witness/seen.h"

namespace warpledger::profile {

/// Where the instructions of each function begin in the numbering of trace::Site::instruction.
using FirstNumbers = std::map<uint32_t, uint32_t>;  // by function of the module
[[nodiscard]] FirstNumbers first_numbers(const ptx::Module& module,
                                         const exec::KernelLayout& layout);

/// The sites as the machine code accesses memory. One that ptxas merged into a wider access of a
/// neighbor, or dropped, has no space left (trace::Space::kNone): no table counts it. `fates` says
/// what happened, "" where nothing did.
struct MachineSites {
  trace::Sites sites;
  std::vector<std::string> fates = {};
};
[[nodiscard]] MachineSites machine_sites(const trace::Sites& sites,
                                         const sass::KernelWitness& kernel,
                                         const FirstNumbers& numbers);

/// How often blocks of PTX ran, from how often each instruction was executed.
[[nodiscard]] sass::BlockCounts block_counts(const ptx::Module& module, const FirstNumbers& numbers,
                                             const std::vector<uint64_t>& executions);

/// Machine instructions executed, from how often PTX instructions were, and `shares` of what PTX
/// does not tell; `program` is made anew, and `code` learns which machine instructions stand for
/// each of its lines.
[[nodiscard]] Machine count_machine(const ptx::Module& module, const sass::KernelWitness& kernel,
                                    const FirstNumbers& numbers, std::vector<CodeLine>& code,
                                    bool has_diverged, const sass::Shares& shares,
                                    Program& program);

/// What was executed of machine code that ran itself: `code` is the kernel's, line by line.
[[nodiscard]] Machine count_executed(const sass::KernelWitness& kernel,
                                     const std::vector<CodeLine>& code, bool has_diverged,
                                     Program& program);

}  // namespace warpledger::profile
