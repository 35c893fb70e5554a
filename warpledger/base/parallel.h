// Work on several threads (oneTBB). The only place that knows who provides them.
#pragma once

#include <cstdint>
#include <functional>

namespace warpledger {

/// Calls work(0) .. work(count - 1), at most `threads` at once; returns when all have. One thread:
/// in order, on the caller's.
void for_each_index(uint32_t count, uint32_t threads, const std::function<void(uint32_t)>& work);

/// Processors that this process may use.
[[nodiscard]] uint32_t available_threads();

}  // namespace warpledger
