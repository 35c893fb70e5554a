#include "warpledger/exec/jit/runtime/fiber.h"

#include <sys/mman.h>

#include "warpledger/base/sanitizers.h"
#if WL_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if WL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#include <cstdint>
#include <cstring>
#include <utility>

#include "warpledger/base/check.h"
#include "warpledger/base/page.h"

extern "C" {
/// Pushes the preserved registers, stores the stack pointer in *save, takes `load` as the new one,
/// pops and goes on there. (A jump, not a return: the processor would expect the return to lead to
/// the caller, and be wrong every time.)
void wl_switch_stack(void** save, void* load);
/// Where a new fiber begins: calls the function held in a preserved register.
void wl_enter_fiber();
}

#if defined(__x86_64__)
asm(R"(
.text
.globl wl_switch_stack
.type wl_switch_stack, @function
wl_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size wl_switch_stack, .-wl_switch_stack
.globl wl_enter_fiber
.type wl_enter_fiber, @function
wl_enter_fiber:
  movq %r12, %rdi
  callq *%r13
  ud2
.size wl_enter_fiber, .-wl_enter_fiber
)");
constexpr size_t kSavedWords = 7;    // six registers and the return address
constexpr size_t kArgumentWord = 3;  // %r12, as popped
constexpr size_t kFunctionWord = 2;  // %r13
constexpr size_t kReturnWord = 6;
#elif defined(__aarch64__)
asm(R"(
.text
.globl wl_switch_stack
.type wl_switch_stack, %function
wl_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size wl_switch_stack, .-wl_switch_stack
.globl wl_enter_fiber
.type wl_enter_fiber, %function
wl_enter_fiber:
  mov x0, x19
  blr x20
  brk #1
.size wl_enter_fiber, .-wl_enter_fiber
)");
constexpr size_t kSavedWords = 20;
constexpr size_t kArgumentWord = 0;  // x19
constexpr size_t kFunctionWord = 1;  // x20
constexpr size_t kReturnWord = 11;   // x30
#else
#error "the JIT switches stacks on x86-64 and arm64 only"
#endif

namespace warpledger::exec::jit {
namespace {

// AddressSanitizer knows one stack per thread and has to be told of others; without it nothing is.
#if WL_ADDRESS_SANITIZER
void forget_frames(std::byte* stack) {
  __asan_unpoison_memory_region(stack, StackPool::kStackBytes);
}
void begin_switch(void** shadow, const void* stack, size_t bytes) {
  __sanitizer_start_switch_fiber(shadow, stack, bytes);
}
void end_switch(void* shadow, const void** stack, size_t* bytes) {
  __sanitizer_finish_switch_fiber(shadow, stack, bytes);
}
#else
void forget_frames(std::byte*) {}
void begin_switch(void**, const void*, size_t) {}
void end_switch(void*, const void**, size_t*) {}
#endif

// ThreadSanitizer follows one line of calls per thread, and wants another for each stack. The line
// of a fiber that has finished can go once somebody else runs.
#if WL_THREAD_SANITIZER
thread_local std::vector<void*> finished_lines;
void* new_line() { return __tsan_create_fiber(0); }
void* line_here() { return __tsan_get_current_fiber(); }
void go_to(void* line) { __tsan_switch_to_fiber(line, 0); }
void leave_for_good(void* line) { finished_lines.push_back(line); }
void drop_finished() {
  for (void* line : finished_lines) __tsan_destroy_fiber(line);
  finished_lines.clear();
}
#else
void* new_line() { return nullptr; }
void* line_here() { return nullptr; }
void go_to(void*) {}
void leave_for_good(void*) {}
void drop_finished() {}
#endif

}  // namespace

StackPool::~StackPool() {
  for (std::byte* stack : stacks_) munmap(stack - page_bytes(), kStackBytes + page_bytes());
}

std::byte* StackPool::take() {
  const size_t guard = page_bytes();
  void* range = mmap(nullptr, kStackBytes + guard, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return nullptr;
  mprotect(range, guard, PROT_NONE);
  stacks_.push_back(static_cast<std::byte*>(range) + guard);
  return stacks_.back();
}

void Fiber::enter(Fiber* fiber) {
  fiber->arrive(nullptr);
  fiber->function_(fiber->argument_);
  WL_CHECK(false);  // a fiber's function ends by finish()
}

void Fiber::start(std::byte* stack, Function function, void* argument) {
  function_ = function;
  argument_ = argument;
  stack_ = stack;
  forget_frames(stack);
  line_ = new_line();
  // The stack is 16-byte aligned before the call in wl_enter_fiber.
  auto* top = reinterpret_cast<uint64_t*>(stack + StackPool::kStackBytes - 64);
  uint64_t* frame = top - kSavedWords;
  std::memset(frame, 0, kSavedWords * sizeof(uint64_t));
  frame[kArgumentWord] = reinterpret_cast<uint64_t>(this);
  frame[kFunctionWord] = reinterpret_cast<uint64_t>(&Fiber::enter);
  frame[kReturnWord] = reinterpret_cast<uint64_t>(&wl_enter_fiber);
  here_ = frame;
}

void Fiber::resume() {
  void* shadow = nullptr;
  begin_switch(&shadow, stack_, StackPool::kStackBytes);
  caller_line_ = line_here();
  go_to(line_);
  wl_switch_stack(&caller_, here_);
  end_switch(shadow, nullptr, nullptr);
  drop_finished();
}

void Fiber::arrive(void* shadow) {
  const void* stack = nullptr;
  size_t bytes = 0;
  end_switch(shadow, &stack, &bytes);
  if (!std::exchange(passed_, false)) {
    caller_stack_ = stack;
    caller_bytes_ = bytes;
  }
}

void Fiber::suspend() {
  begin_switch(&shadow_, caller_stack_, caller_bytes_);
  go_to(caller_line_);
  wl_switch_stack(&here_, caller_);
  arrive(shadow_);
}

void Fiber::pass_to(Fiber& other) {
  other.caller_ = caller_;
  other.caller_stack_ = caller_stack_;
  other.caller_bytes_ = caller_bytes_;
  other.passed_ = true;
  other.caller_line_ = caller_line_;
  begin_switch(&shadow_, other.stack_, StackPool::kStackBytes);
  go_to(other.line_);
  wl_switch_stack(&here_, other.here_);
  arrive(shadow_);
}

void Fiber::finish() {
  begin_switch(nullptr, caller_stack_, caller_bytes_);
  leave_for_good(line_);
  go_to(caller_line_);
  wl_switch_stack(&here_, caller_);
}

}  // namespace warpledger::exec::jit
