// A launch of machine code, interpreted and compiled, from the same memory: what differs.
#pragma once

#include <string>

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/translate/engine.h"

namespace warpledger::exec::machine {

/// "equal" in memory, records and counts; "interpreted: why" where the kernel is not compiled;
/// "stopped ..." where the interpreter does not end; or what differs. Memory is restored.
[[nodiscard]] std::string compare_compiled(Image& image, const exec::Launch& launch,
                                           const std::string& cubin, const Limits& limits,
                                           uint32_t slots, translate::Parting parting = {});

}  // namespace warpledger::exec::machine
