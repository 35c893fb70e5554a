// Memory of the heap that ends where a page ends that nobody has: while a fence is up, what this
// thread allocates in vectors (shared memory, local memory, constants, tensor memory) lies so, and
// an access behind its end stops the program. Bytes in front of it are looked at when it is freed.
// Builds with sanitizers have their own.
#pragma once

#include <cstddef>

namespace warpledger::exec {

class Fence {
 public:
  /// Allocations of at least so many bytes.
  explicit Fence(size_t least);
  ~Fence();
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;
};

}  // namespace warpledger::exec
