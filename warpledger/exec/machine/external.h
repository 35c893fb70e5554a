// Functions that a driver provides to device code: printf, assertions, the device's heap.
//
// Arguments stand in registers from R4 on, 64-bit ones in pairs; a result comes back in R4, and the
// call returns to the address in R20 and R21.
#pragma once

#include "warpledger/exec/machine/state.h"

namespace warpledger::exec::machine {

/// Calls the function for each lane and lets it return. False where there is none of that name.
[[nodiscard]] bool call_external(Context& context, std::string_view name, Lanes lanes);

}  // namespace warpledger::exec::machine
