// A kernel of a carrier (carrier.h), ready to be launched again and again: the cubin is read out of
// its text once for each module, and cut to a kernel (cut_kernel.h) once for each kernel.
#pragma once

#include <memory>
#include <string>

#include "warpledger/ptx/module.h"
#include "warpledger/sass/cubin/cubin.h"

namespace warpledger::sass {

/// The module's cubin with that kernel alone; null where the module is plain PTX. What was cut is
/// kept for as long as the module's text.
[[nodiscard]] Result<std::shared_ptr<const std::string>> carried_kernel(const ptx::Module& module,
                                                                        std::string_view kernel);

}  // namespace warpledger::sass
