// What compiled code calls, and the warp that it runs as.
#pragma once

#include <span>

#include "warpledger/exec/decode/slice/turns.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/exec/jit/runtime/fiber.h"
#include "warpledger/exec/jit/runtime/lane_order.h"
#include "warpledger/exec/jit/runtime/matrix.h"
#include "warpledger/exec/jit/runtime/pattern.h"
#include "warpledger/exec/jit/runtime/rendezvous.h"
#include "warpledger/exec/jit/runtime/transfer.h"
#include "warpledger/exec/jit/runtime/vigil.h"

namespace warpledger::exec::jit {

/// A warp in flight: its context, its stack, and why it stopped.
struct RunningWarp {
  enum class State : uint8_t { kReady, kWaiting, kSpinning, kFull, kEnded };

  WarpContext context;
  Fiber fiber;
  std::byte* stack = nullptr;
  State state = State::kEnded;
  reference::Engine* engine = nullptr;
  reference::Cta* cta = nullptr;
  reference::Warp* warp = nullptr;
  PatternTable* patterns = nullptr;
  KernelFunction kernel = nullptr;
  const Analysis* analysis = nullptr;
  const MatrixTable* matrices = nullptr;
  TransferTable* transfers = nullptr;
  uint64_t* instructions = nullptr;  // of the CTA
  uint64_t executed = 0;             // in earlier turns of this warp
  uint32_t room = 0;                 // records that any block may write without asking
  uint32_t budget = 0;               // records held that make the warp stop
  bool records = false;
  bool in_step = false;           // some step of the kernel gives way
  bool joins = false;             // its CTA meets others of its cluster
  trace::Buffer* held = nullptr;  // its records
  Vigil vigil;
  bool polled = false;  // in this turn
  LaneOrder order;      // where lanes go on by address

  // At a barrier of the whole block (rendezvous.h).
  Rendezvous* rendezvous = nullptr;  // of the block; null: the kernel's barriers are of other kinds
  RunningWarp* next = nullptr;       // warp of the block, in a ring
  uint32_t* latest = nullptr;        // of the block: the warp that ran last
  const uint32_t* turn = nullptr;    // of the barrier that it waits at
  uint32_t turn_then = 0;            // and what it was
  uint32_t barrier = 0;              // its number, and where it stands
  uint32_t barrier_pc = 0;

  [[nodiscard]] trace::Buffer& buffer() const { return *held; }
  [[nodiscard]] bool waits() const {
    if (state != State::kWaiting) return false;
    return turn != nullptr ? *turn == turn_then
                           : warp->fragments[0].wait != reference::Fragment::Wait::kReady;
  }
  void suspend(State why) {
    state = why;
    fiber.suspend();
  }
};

/// For the functions that compiled code calls (runtime.cpp, runtime_memory.cpp).
[[nodiscard]] RunningWarp& running(WarpContext* context);
/// The buffer knows what compiled code has written; the runtime may write more, and hands it back
/// with room for `slots` records.
void take_records(RunningWarp& warp);
void give_records(RunningWarp& warp, uint32_t slots);
[[nodiscard]] const reference::Step& step_at(const RunningWarp& warp, uint32_t pc);
/// The interpreter's view of the warp: one fragment, here.
[[nodiscard]] reference::Context context_at(RunningWarp& warp, uint32_t pc, uint32_t mask,
                                            uint32_t lanes);
/// Executes a step by the interpreter's function and registers. 1: the warp is over.
int32_t interpret(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes);
/// The same of a step whose accesses compiled code counts by blocks.
int32_t interpret_counted(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes);

/// The body of a warp's fiber; `argument` is the RunningWarp.
void run_warp(void* argument);

// Of kernels whose lanes go on by address: what they do to the order, and whose turn it is then:
// the block that these lanes go on at, and WarpContext::chosen and lowest. UINT32_MAX: all have
// ended, or the launch has.
void open_convergence(WarpContext* c, uint32_t lanes, uint32_t barrier);
void leave_convergence(WarpContext* c, uint32_t lanes, uint32_t barrier);
void name_lanes(WarpContext* c, uint32_t lanes);  // WarpContext::address: whom each waits for
void place_lanes(WarpContext* c, uint32_t lanes, uint32_t block);
uint32_t next_lanes(WarpContext* c, uint32_t pc);
uint32_t converge(WarpContext* c, uint32_t pc, uint32_t lanes, uint32_t barrier, uint32_t block);

/// Ends the launch: lanes of the warp wait for what other lanes of it may do, which fragments
/// could.
void give_up_lanes(RunningWarp& warp);

/// Tells the interpreter's structures where the warp waits: for its description of a deadlock.
void show_barrier(RunningWarp& warp);

[[nodiscard]] std::span<const RuntimeFunction> runtime_functions();

}  // namespace warpledger::exec::jit
