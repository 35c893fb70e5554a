// Work that may take too long, in a process of its own.
#pragma once

#include <functional>
#include <string>

#include "warpledger/base/result.h"
#include "warpledger/exec/decode/launch.h"

namespace warpledger::exec::jit {

/// What `work` answers, made by a fork of this process that is killed when the deadline passes:
/// then it fails with kTimeLimit. Pre: no other thread holds a lock that `work` takes, malloc's
/// and the C library's own excepted.
[[nodiscard]] Result<std::string> run_apart(const Deadline& deadline,
                                            const std::function<Result<std::string>()>& work);

}  // namespace warpledger::exec::jit
