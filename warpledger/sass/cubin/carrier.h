// A cubin in the shape of a PTX text. Everything that handles code here handles PTX: modules, their
// variables, parameters, reports, the store. A carrier declares what a cubin has (kernels with
// their parameters and shared memory, variables with their values) and holds the cubin itself in a
// section, byte for byte. Bodies are empty: whoever executes must ask carried_cubin() first.
#pragma once

#include <optional>
#include <string>

#include "warpledger/ptx/module.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::sass {

/// The carrier of the cubin `name`. Fails on what is not a cubin, on names that PTX does not have,
/// and on NVIDIA's closed libraries (closed_library.h).
[[nodiscard]] Result<std::string> carry_cubin(const std::string& name, std::string_view cubin);

/// Whether a module is a carrier: its PTX is not what runs.
[[nodiscard]] bool is_carrier(const ptx::Module& module);

/// The cubin that the module carries; nothing where it is plain PTX.
[[nodiscard]] std::optional<std::string> carried_cubin(const ptx::Module& module);

}  // namespace warpledger::sass
