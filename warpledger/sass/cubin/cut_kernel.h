// One kernel out of a cubin. A library's cubin holds hundreds of kernels in tens of megabytes, and
// whoever reads, relocates or disassembles one of them should not pay for the others.
#pragma once

#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::sass {

/// The cubin without the code of other kernels, without what belongs to that code (parameters,
/// constants, shared memory, relocations, attributes), and without debug information. What is not a
/// kernel's stays: functions, variables. Sections and symbols keep their numbers; those that are
/// gone are empty. Pre: `cubin` was read from `bytes`. Post: read_cubin() of the result has
/// the kernel and all functions outside of kernels, each as it was. A cubin without that kernel is
/// given back whole.
[[nodiscard]] std::string cut_kernel(std::string_view bytes, const Cubin& cubin,
                                     std::string_view kernel);

}  // namespace warpledger::sass
