// Kernels whose lanes name sets of lanes at `.sync` instructions, what a warp brings to them, and
// what PTX says that each lane gets, written down naively: of the lanes in my mask that have not
// exited, all of which come to the same instruction with the same mask.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::exec {

/// How the lanes of a warp come to the instruction.
enum class Form : uint8_t {
  kConverged,
  kExited,       // some lanes have ended, and are named all the same
  kGuarded,      // under a predicate
  kSides,        // on two sides of a branch; those who name each other on one side
  kTurns,        // in different turns of a loop; those who name each other in the same
  kSidesApart,   // as kSides, but lanes that name each other are anywhere
  kTurnsApart,   // as kTurns, but lanes that name each other are anywhere
  kLeavingLate,  // some are named and end while others wait for them
};
inline constexpr int kForms = 8;
/// Lanes only ever wait for lanes that are with them: compiled code does that.
inline bool is_simple(Form form) { return form <= Form::kTurns; }

/// What a thread reads.
struct LaneInput {
  uint64_t a = 0;
  uint32_t b = 0, c = 0, mask = 0, flags = 0, turn = 0, unused = 0;
};
inline constexpr uint32_t kExits = 1, kPasses = 2, kOtherSide = 4;
struct LaneOutput {
  uint32_t d = 0, p = 0;
};
using WarpInput = std::array<LaneInput, 32>;
using WarpOutput = std::array<LaneOutput, 32>;

inline const std::vector<std::string>& exchange_spellings() {
  static const std::vector<std::string> kAll = {"shfl.sync.up.b32",
                                                "shfl.sync.down.b32",
                                                "shfl.sync.bfly.b32",
                                                "shfl.sync.idx.b32",
                                                "vote.sync.all.pred",
                                                "vote.sync.any.pred",
                                                "vote.sync.uni.pred",
                                                "vote.sync.ballot.b32",
                                                "match.any.sync.b32",
                                                "match.any.sync.b64",
                                                "match.all.sync.b32",
                                                "match.all.sync.b64",
                                                "redux.sync.add.u32",
                                                "redux.sync.add.s32",
                                                "redux.sync.min.u32",
                                                "redux.sync.min.s32",
                                                "redux.sync.max.u32",
                                                "redux.sync.max.s32",
                                                "redux.sync.and.b32",
                                                "redux.sync.or.b32",
                                                "redux.sync.xor.b32",
                                                "redux.sync.min.f32",
                                                "redux.sync.max.abs.f32",
                                                "redux.sync.min.NaN.f32",
                                                "redux.sync.max.NaN.f32",
                                                "redux.sync.min.abs.NaN.f32",
                                                "elect.sync",
                                                "activemask.b32",
                                                "bar.warp.sync"};
  return kAll;
}

/// The instruction, with the registers of one side of a branch or of the other. bar.warp.sync comes
/// with a store before it and a load of another lane's word behind.
inline std::string instruction(const std::string& text, bool other, const std::string& guard = "") {
  const std::string d = other ? "%r14" : "%r4", p = other ? "%p5" : "%p4",
                    a = other ? "%r12" : "%r2", q = other ? "%p6" : "%p1",
                    m = other ? "%r16" : "%r6", wide = other ? "%rd12" : "%rd2";
  const auto starts = [&](const char* with) { return text.rfind(with, 0) == 0; };
  const std::string op = guard + text + " ";
  if (starts("shfl")) return op + d + "|" + p + ", " + a + ", %r3, %r5, " + m + ";\n";
  if (starts("vote")) return op + (starts("vote.sync.b") ? d : p) + ", " + q + ", " + m + ";\n";
  if (starts("match"))
    return op + d + (starts("match.all") ? "|" + p : "") + ", " +
           (text.ends_with("64") ? wide : a) + ", " + m + ";\n";
  if (starts("redux")) return op + d + ", " + a + ", " + m + ";\n";
  if (starts("elect")) return op + d + "|" + p + ", " + m + ";\n";
  if (starts("activemask")) return op + d + ";\n";
  return guard + "st.shared.u32 [%r20], " + a + ";\n" + op + m + ";\n" + guard + "ld.shared.u32 " +
         d + ", [%r21];\n";
}

/// All forms of an instruction; the third parameter says which.
inline std::string exchange_kernel(const std::string& text) {
  const std::string one = instruction(text, false), two = instruction(text, true);
  std::string choose;
  for (int form = 0; form < kForms; ++form)
    choose += fmt::format("setp.eq.u32 %p15, %r40, {}; @%p15 bra F{};\n", form, form);
  const std::string there =
      "mov.b32 %r12, %r2; mov.b32 %r16, %r6; mov.b64 %rd12, %rd2; and.pred %p6, %p1, %p1;\n"
      "mov.u32 %r14, 0xdead; setp.ne.u32 %p5, %r0, %r0;\n" +
      two + "mov.b32 %r4, %r14; and.pred %p4, %p5, %p5; bra OUT;\n";
  return kernel_text(
      ".reg .pred %p<16>; .reg .b32 %r<48>; .reg .b64 %rd<16>; .shared .align 4 .b8 cell[512];\n"
      "ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd9, [p2];\n"
      "cvt.u32.u64 %r40, %rd9; mov.u32 %r0, %tid.x; mov.u32 %r41, %ctaid.x; mov.u32 %r42, "
      "%ntid.x;\n"
      "mad.lo.u32 %r43, %r41, %r42, %r0; mul.wide.u32 %rd3, %r43, 32; add.s64 %rd3, %rd0, %rd3;\n"
      "mul.wide.u32 %rd4, %r43, 8; add.s64 %rd4, %rd1, %rd4;\n"
      "ld.global.u64 %rd2, [%rd3]; cvt.u32.u64 %r2, %rd2; ld.global.v2.u32 {%r3, %r5}, [%rd3+8];\n"
      "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd3+16];\n"
      "and.b32 %r10, %r3, 1; setp.ne.u32 %p1, %r10, 0;\n"
      "and.b32 %r10, %r7, 1; setp.ne.u32 %p10, %r10, 0;\n"
      "and.b32 %r10, %r7, 2; setp.ne.u32 %p11, %r10, 0;\n"
      "and.b32 %r10, %r7, 4; setp.ne.u32 %p12, %r10, 0;\n"
      "mov.u32 %r22, cell; shl.b32 %r23, %r0, 2; add.u32 %r20, %r22, %r23;\n"
      "and.b32 %r24, %r0, 96; add.u32 %r24, %r24, %r3; shl.b32 %r24, %r24, 2;\n"
      "and.b32 %r24, %r24, 511; add.u32 %r21, %r22, %r24;\n"
      "mov.u32 %r4, 0xdead; setp.ne.u32 %p4, %r0, %r0;\n" +
          choose + "ret;\nF0:\n" + one + "bra OUT;\nF1:\n@%p10 ret;\n" + one + "bra OUT;\nF2:\n" +
          instruction(text, false, "@%p11 ") + "bra OUT;\nF3: F5:\n@%p12 bra OTHER;\n" + one +
          "bra OUT;\nOTHER:\n" + there + "F4: F6:\nmov.u32 %r30, 0;\nLOOP:\n" +
          "setp.ne.u32 %p13, %r30, %r8; @%p13 bra NOT_NOW;\n" + one +
          "NOT_NOW:\nadd.u32 %r30, %r30, 1; setp.lt.u32 %p14, %r30, 4; @%p14 bra LOOP;\n" +
          "bra OUT;\nF7:\n@%p12 bra LATE;\n" + one + "bra OUT;\nLATE:\n@%p10 ret;\n" + there +
          "OUT:\nselp.u32 %r18, 1, 0, %p4; st.global.v2.u32 [%rd4], {%r4, %r18}; ret;",
      3, "sm_100a", "8.7");
}

/// Every lane in one set: all, tiles, neighbors, by random labels, each alone.
inline std::array<uint32_t, 32> any_partition(testing::Rng& rng, uint32_t of) {
  std::array<uint32_t, 32> label{};
  const int64_t kind = rng.between(0, 4), labels = rng.between(1, 9), shift = rng.between(0, 5);
  uint32_t next = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (kind == 1) label[lane] = lane >> shift;
    if (kind == 2) label[lane] = next += rng.between(0, 3) == 0 ? 1 : 0;
    if (kind == 3) label[lane] = static_cast<uint32_t>(rng.between(1, labels));
    if (kind == 4) label[lane] = lane;
  }
  std::array<uint32_t, 32> sets{};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t other = 0; other < 32; ++other)
      if (label[other] == label[lane] && (of >> other & 1) != 0) sets[lane] |= 1u << other;
  return sets;
}

inline uint32_t any_float_bits(testing::Rng& rng) {
  static const std::vector<float> kSome = {0.0f, -0.0f, 1.0f, -1.5f, INFINITY, -INFINITY, NAN};
  return rng.coin() ? std::bit_cast<uint32_t>(rng.pick(kSome)) : static_cast<uint32_t>(rng.bits());
}

inline WarpInput any_warp(testing::Rng& rng, const std::string& text, Form form) {
  WarpInput in{};
  const auto random = static_cast<uint32_t>(rng.bits());
  const auto passes = form == Form::kGuarded ? random : ~0u;
  const auto sets = any_partition(rng, passes);
  const uint64_t few = rng.coin() ? 3 : ~uint64_t{0};
  const auto votes = static_cast<uint32_t>(rng.between(0, 2));
  const uint32_t segments[] = {0, 0, 0, 16, 24, 31};
  const uint32_t c = segments[rng.between(0, 5)] << 8 | (rng.coin() ? 31 : rng.bits() & 31);
  const auto sides = static_cast<uint32_t>(rng.bits()), ends = static_cast<uint32_t>(rng.bits());
  for (uint32_t lane = 0; lane < 32; ++lane) {
    LaneInput& one = in[lane];
    const uint32_t mates = sets[lane] != 0 ? sets[lane] : 1u << lane;
    // Lanes that name each other decide alike, unless they are to come apart.
    const bool apart = form >= Form::kSidesApart;
    const auto key = apart ? lane : static_cast<uint32_t>(std::countr_zero(mates));
    one.a = text.ends_with("f32") ? any_float_bits(rng) : rng.bits() & few;
    one.b = static_cast<uint32_t>(rng.between(0, 40));
    if (text.rfind("vote", 0) == 0) one.b = votes < 2 ? votes : one.b;
    one.c = c;
    one.mask = sets[lane];
    one.turn = static_cast<uint32_t>((random >> key % 16 * 2) & 3);
    if ((passes >> lane & 1) != 0) one.flags |= kPasses;
    if ((sides >> key & 1) != 0) one.flags |= kOtherSide;
    const bool may_end =
        form == Form::kExited || (form == Form::kLeavingLate && (one.flags & kOtherSide) != 0);
    if (may_end && (ends >> lane & 1) != 0) one.flags |= kExits;
    // Somebody that it names: the source of a shuffle by index, or whose word it reads.
    const uint32_t someone = std::rotr(mates, static_cast<int>(lane));
    const auto named = (static_cast<uint32_t>(std::countr_zero(someone)) + lane) % 32;
    if (text == "bar.warp.sync" || (text == "shfl.sync.idx.b32" && rng.coin())) one.b = named;
  }
  return in;
}

}  // namespace warpledger::exec
