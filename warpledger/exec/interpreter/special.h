// What a thread is told about itself: special registers, and the words of a diagnosis.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

[[nodiscard]] uint64_t read_special(const Context& context, const Value& value, int lane);

/// threadIdx of a lane.
[[nodiscard]] Extent thread_index(const Extent& block, uint32_t warp, int lane);

/// "… in kernel 'k', block (1,0,0), thread (5,0,0), x.cu:12" at the PTX line of the step.
[[nodiscard]] Diagnostic describe_fault(const Context& context, const Step& step, int lane,
                                        std::string message, std::string code, std::string hint);

/// "x.cu:12" of the .loc in force; empty without one.
[[nodiscard]] std::string source_line(const ptx::Module& module, const ptx::Function& function,
                                      const ptx::Instruction& instruction);

}  // namespace warpledger::exec::reference
