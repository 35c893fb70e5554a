// The work of the fifth-generation tensor core that a CTA has issued: done in order, when somebody
// waits for the mbarrier of a later tcgen05.commit.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

/// Does all work up to the last commit to that mbarrier of `owner`, of the CTA itself and of its
/// peers.
void finish_tensor_work(Engine& engine, Cta& owner, uint64_t barrier);

/// The instruction in the queue that writes some of these columns; null: none.
[[nodiscard]] const Step* writer_of(const Cta& cta, uint32_t column, uint32_t columns);

}  // namespace warpledger::exec::reference
