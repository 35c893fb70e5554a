// A stack of its own for each warp, so that it can wait in the middle of its code: at a barrier, or
// when its record buffer is full. A switch saves the registers that a call preserves and nothing
// else (10 ns; Boost.Context's 34 ns are mostly MXCSR and the x87 control word, which nobody
// changes).
#pragma once

#include <cstddef>
#include <vector>

namespace warpledger::exec::jit {

/// Stacks with a guard page each, which live as long as the pool.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  static constexpr size_t kStackBytes = 1024 * 1024;  // pages that nobody touches cost nothing
  /// Of a compiled kernel; the rest is for what it calls.
  static constexpr size_t kMostFrameBytes = kStackBytes / 2;
  /// The lowest byte of a stack; null when the system has no more memory.
  [[nodiscard]] std::byte* take();

 private:
  std::vector<std::byte*> stacks_;
};

/// A function running on its own stack. resume() runs it until it calls suspend() or returns.
class Fiber {
 public:
  using Function = void (*)(void* argument);

  /// `stack` must outlive the fiber's run.
  void start(std::byte* stack, Function function, void* argument);
  void resume();
  /// From inside the function only: back to who called resume().
  void suspend();
  /// The same for the last time: a fiber's function ends so.
  void finish();
  /// From inside the function only: `other`, which is suspended, goes on, and when it suspends
  /// itself goes back to who resumed this one.
  void pass_to(Fiber& other);

 private:
  static void enter(Fiber* fiber);
  void arrive(void* shadow);

  void* here_ = nullptr;    // stack pointer of the fiber while it is suspended
  void* caller_ = nullptr;  // stack pointer of resume()'s caller while the fiber runs
  Function function_ = nullptr;
  void* argument_ = nullptr;
  // What the sanitizers are told of the stacks; unused without them.
  std::byte* stack_ = nullptr;
  const void* caller_stack_ = nullptr;
  size_t caller_bytes_ = 0;
  void* shadow_ = nullptr;
  void* line_ = nullptr;
  void* caller_line_ = nullptr;
  bool passed_ = false;  // by pass_to(), which knew the caller's stack
};

}  // namespace warpledger::exec::jit
