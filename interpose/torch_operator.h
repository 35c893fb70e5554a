// Which operator of PyTorch the calling thread is in, for messages about a launch that it made.
#pragma once

#include "warpledger/base/diagnostic.h"

namespace warpledger::cuda {

/// "add_Tensor" where the innermost call of PyTorch's dispatcher is at::_ops::add_Tensor; "" of a
/// stack without one. Slow: it walks the stack.
[[nodiscard]] std::string torch_operator();

/// The fault with the operator in its message, where there is one; of a launch that we cannot run
/// the hint says what computes it otherwise.
[[nodiscard]] Diagnostic with_torch_operator(Diagnostic fault);

}  // namespace warpledger::cuda
