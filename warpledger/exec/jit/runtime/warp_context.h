// exec/jit/: PTX to native code through LLVM, a warp as 32 lanes.
//
// The room knows how instructions become LLVM IR, how warps run on their own stacks and when they
// take turns. What an instruction means it takes from semantics/ and, for every opcode that has no
// lowering of its own, from reference/: the compiled code hands its operands to the interpreter's
// function and takes the results back, so that both engines can do the same things.
// Only this folder sees LLVM, and only the files that say so in their first line.
//
// How a value is held (facts measured: docs/performance.md):
//   uniform   one scalar for the warp
//   vector    32 lanes
//   pair      scalar + vector, value of lane l = scalar + vector[l]. Pointers of loops change the
//             scalar alone: the vector, and with it the pattern of an access, is loop-invariant.
//
// This file: what compiled code and the functions it calls share. Plain memory: compiled code uses
// offsetof().
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpledger/trace/trace.h"

namespace warpledger::exec::jit {

// What compiled code may touch without asking. An access is a scalar s of 64 bits and an offset of
// 64 bits for each lane, both with a sign: lane l lies at s + offset[l]. Lanes that are off have
// offsets too, which mean nothing: no pattern, bound, address or byte may depend on them. The
// SiteWindow is checked with s itself, so
//   1. where it holds, s + offset[l] is what lane l touches, in bounds, for every lane that is on;
//   2. every address that follows from it is s plus constants in 64 bits. Accesses of a group take
//      the leader's s, not sums of their own in 32 bits, which wrap where only lanes that are off
//      lie below 0;
//   3. bytes are touched at s plus an offset of a lane that is on. Stores touch exactly what the
//      lanes name. Loads by windows of 64 bytes read on behind it, at most kWindowReach bytes:
//      shared memory and the constants have as many behind their end; in global memory, where what
//      follows may be nobody's (a buffer that the program lent), they are in bounds as well.

/// Bytes behind the highest lane that windows may read: lanes of 4 bytes.
inline constexpr uint64_t kWindowReach = 60;

/// How the lanes of an access lie to each other, found once for a (vector, mask, width).
/// Compiled code reads all of it as invariant memory.
struct alignas(64) Pattern {
  int64_t load_base[4] = {};   // of each window of 64 bytes: offset of its first byte
  int64_t store_base[4] = {};  // of each run of lanes side by side: offset of its first lane
  int64_t index8[32] = {};     // 8-byte element of its window that a lane reads
  int32_t index4[32] = {};     // 4-byte element
  uint32_t shape = 0;          // of the trace's table
  uint32_t loads = 0;          // 1: a load of single elements of 4 or 8 bytes may go by windows
  uint32_t stores = 0;         // 1: any other load, or a store, may go by runs
  // Not for compiled code:
  uint32_t element = 0;  // bytes
  uint32_t mask = 0;
  uint32_t width = 0;     // bytes of a lane: of its elements
  int64_t low = 0;        // smallest offset of an active lane
  uint64_t extent = 0;    // bytes from there to the end of the highest
  uint64_t reach = 0;     // bytes behind that end which windows read
  bool aligned = false;   // every offset is a multiple of the width
  bool recorded = false;  // the trace's table has the shape
  int64_t offset[32] = {};
};

/// What was last found in bounds at a memory instruction: pattern `pattern` at scalar address s is
/// in bounds and aligned when rotate_right(s - base, log2 width) < bound.
struct SiteWindow {
  const Pattern* pattern = nullptr;
  uint64_t base = 0;
  uint64_t bound = 0;
};

/// The registers of an mma.sync, [register][lane].
struct alignas(64) MatrixOperands {
  static constexpr int kMost = 4;  // registers of an operand
  uint32_t a[kMost][32];
  uint32_t b[kMost][32];
  uint32_t c[kMost][32];
  uint32_t d[kMost][32];
};

/// What a warp brings along.
struct alignas(64) WarpContext {
  int64_t address[32];   // out: the lanes' addresses of an access that the runtime does
  uint64_t data[4][32];  // the elements that it loads or stores, a lane each
  MatrixOperands matrix;
  uint32_t tid[3][32];
  uint32_t ctaid[3];
  uint32_t nctaid[3];
  uint32_t warpid;
  uint32_t mask;          // lanes that start
  uint32_t alive;         // lanes that have not ended, kept by compiled code
  uint32_t acted;         // 1: has done more than read since it last polled (vigil.h)
  int64_t fuel;           // warp instructions until the warp must let others run
  trace::Record* record;  // next free record
  trace::Record* limit;
  uint64_t global;     // host address of device address 0
  uint64_t shared;     // host address of the block's shared memory
  uint64_t constants;  // host address of the constant bank
  const std::byte* params;
  uint64_t* registers;  // the interpreter's registers: slot * 32 + lane
  SiteWindow* windows;  // by memory instruction of the kernel; of this warp
  void* patterns;       // PatternTable
  uint64_t* counts;     // by CountPlaces
  void* warp;           // RunningWarp
  uint32_t rank_bits;   // of addresses of this CTA's shared memory (interpreter/async/cluster.h)
  uint32_t notes;       // not 0: asynchronous work uses shared memory, and writes there are noted
  uint32_t chosen;      // by address: the lanes whose turn it is (lane_order.h)
  uint32_t lowest;      // and the lowest block that others could go on at
};

/// cp.async.wait_all, as a number of groups that may be left.
inline constexpr uint64_t kNoGroupLeft = ~uint64_t{0};

using KernelFunction = void (*)(WarpContext*);

}  // namespace warpledger::exec::jit
