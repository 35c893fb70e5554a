// Which operator of PyTorch the calling thread is in, for messages about a launch that it made.
#pragma once

#include "warpledger/base/diagnostic.h"

namespace warpledger::cuda {

/// "add_Tensor" where the innermost call of PyTorch's dispatcher is at::_ops::add_Tensor; "" of a
/// stack without one. Slow: it walks the stack.
[[nodiscard]] std::string torch_operator();

/// The operator in the words of the message and what computes it otherwise in the hint, where there
/// is an operator.
[[nodiscard]] Diagnostic with_torch_operator(Diagnostic fault);

}  // namespace warpledger::cuda
