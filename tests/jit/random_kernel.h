// Random structured kernels: divergence, nested loops, breaks, early returns, barriers in loops,
// shuffles, atomics, mixed widths, local and generic memory. Races are not made: threads write
// places of their own, or add up.
#pragma once

#include <string>

#include "tests/support/law.h"

namespace warpledger::exec {

class RandomKernel {
 public:
  static constexpr int kIntegers = 8, kFloats = 4, kLongs = 3;
  static constexpr int kWordsPerThread = kIntegers + kFloats + 2 * kLongs;
  static constexpr int kInputs = 256, kCounters = 16;

  /// Parameters: in (u32[256]), out (u32[threads * kWordsPerThread]), counters (u32[16]).
  RandomKernel(uint64_t seed, int size) : rng_(seed, size), left_(2 + size / 2) {}

  std::string text() {
    prologue();
    statements(0, true);
    epilogue();
    return ".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, "
           ".param .u64 out, "
           ".param .u64 counters)\n{\n" +
           declarations() + body_ + "}\n";
  }

 private:
  using Rng = testing::Rng;

  static std::string declarations() {
    return "  .reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<40>; .reg .f32 %f<8>; .reg .b64 "
           "%rd<24>; .reg .f64 %d<2>;\n"
           "  .shared .align 16 .b8 tile[4096]; .shared .align 16 .b8 own[8192];\n"
           "  .local .align 16 .b8 mine[64];\n";
  }
  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  std::string integer() { return "%r" + std::to_string(rng_.between(0, kIntegers - 1)); }
  std::string real() { return "%f" + std::to_string(rng_.between(0, kFloats - 1)); }
  std::string wide() { return "%rd" + std::to_string(rng_.between(0, kLongs - 1)); }
  std::string source() {
    return rng_.between(0, 4) == 0 ? std::to_string(rng_.between(-40, 4000)) : integer();
  }
  std::string label() { return "L" + std::to_string(labels_++); }

  void prologue() {
    line(
        "mov.u32 %r20, %tid.x; mov.u32 %r21, %tid.y; mov.u32 %r22, %tid.z; mov.u32 %r23, %ntid.x; "
        "mov.u32 %r24, %ntid.y;");
    line("mad.lo.u32 %r25, %r22, %r24, %r21; mad.lo.u32 %r25, %r25, %r23, %r20;");  // thread in the
                                                                                    // block
    line(
        "mov.u32 %r26, %ctaid.x; mov.u32 %r27, %ntid.z; mul.lo.u32 %r28, %r23, %r24; mul.lo.u32 "
        "%r28, %r28, %r27;");
    line("mad.lo.u32 %r29, %r26, %r28, %r25;");  // thread in the grid
    line("ld.param.u64 %rd10, [in]; ld.param.u64 %rd11, [out]; ld.param.u64 %rd12, [counters];");
    line(
        "cvta.to.global.u64 %rd10, %rd10; cvta.to.global.u64 %rd11, %rd11; cvta.to.global.u64 "
        "%rd12, %rd12;");
    line("mul.wide.u32 %rd13, %r29, " + std::to_string(4 * kWordsPerThread) +
         "; add.s64 %rd11, %rd11, %rd13;");
    line(
        "mov.u32 %r0, %r25; mov.u32 %r1, %r26; mov.u32 %r2, %laneid; mov.u32 %r3, %r21; mov.u32 "
        "%r4, 7; mov.u32 %r5, -3;");
    line(
        "and.b32 %r30, %r29, 255; mul.wide.u32 %rd14, %r30, 4; add.s64 %rd15, %rd10, %rd14; "
        "ld.global.u32 %r6, [%rd15];");
    line(
        "shl.b32 %r7, %r20, 3; cvt.rn.f32.u32 %f0, %r6; mov.f32 %f1, 0f3F800000; mov.f32 %f2, "
        "0fC0490FDB; mov.b32 %f3, %r6;");
    line("cvt.u64.u32 %rd0, %r20; mul.wide.s32 %rd1, %r6, -5; mov.u64 %rd2, 0x123456789ABCDEF;");
  }

  void epilogue() {
    for (int i = 0; i < kIntegers; ++i)
      line("st.global.u32 [%rd11+" + std::to_string(4 * i) + "], %r" + std::to_string(i) + ";");
    for (int i = 0; i < kFloats; ++i)
      line("st.global.f32 [%rd11+" + std::to_string(4 * (kIntegers + i)) + "], %f" +
           std::to_string(i) + ";");
    for (int i = 0; i < kLongs; ++i) {
      line("st.global.v2.u32 [%rd11+" + std::to_string(4 * (kIntegers + kFloats) + 8 * i) +
           "], {%r31, %r32};");
      line("mov.b64 {%r31, %r32}, %rd" + std::to_string(i) + ";");
      line("st.global.v2.u32 [%rd11+" + std::to_string(4 * (kIntegers + kFloats) + 8 * i) +
           "], {%r31, %r32};");
    }
    line("ret;");
  }

  /// `together`: every living lane of the block is here.
  void statements(int depth, bool together) {
    const int64_t count = rng_.between(1, 5);
    for (int64_t i = 0; i < count && left_ > 0; ++i) statement(depth, together);
  }

  void statement(int depth, bool together) {
    --left_;
    const int64_t kind = rng_.between(0, depth < 3 ? 18 : 12);
    switch (kind) {
      case 0:
      case 1:
      case 2:
        return arithmetic();
      case 3:
        return floating();
      case 4:
        return mixed();
      case 5:
        return guarded();
      case 6:
        return gather();
      case 7:
        return count_up();
      case 8:
        return together ? exchange() : arithmetic();
      case 9:
        return together ? share() : floating();
      case 10:
        return keep();
      case 11:
        return swap();
      case 12:
        return rng_.coin() ? together ? sum_up() : logic() : precise();
      case 13:
      case 14:
        return branch(depth, together);
      case 15:
      case 16:
      case 17:
        return loop(depth, together);
      default:
        return rng_.between(0, 2) == 0 ? leave() : branch(depth, together);
    }
  }

  void arithmetic() {
    static const std::vector<std::string> kOps = {
        "add.u32", "sub.u32", "mul.lo.s32", "and.b32",    "or.b32",  "xor.b32",
        "min.s32", "max.u32", "mul.hi.u32", "mul.hi.s32", "min.u32", "max.s32"};
    static const std::vector<std::string> kShifts = {"shl.b32", "shr.u32", "shr.s32"};
    switch (rng_.between(0, 6)) {
      case 0:
        return line("mad.lo.u32 " + integer() + ", " + integer() + ", " + source() + ", " +
                    integer() + ";");
      case 1:
        return line(rng_.pick(kShifts) + " " + integer() + ", " + integer() + ", " +
                    (rng_.coin() ? integer() : std::to_string(rng_.between(0, 40))) + ";");
      case 2:
        return line("popc.b32 " + integer() + ", " + integer() + ";");
      case 3:
        return line("bfe.u32 " + integer() + ", " + integer() + ", " +
                    std::to_string(rng_.between(0, 31)) + ", 5;");
      default:
        return line(rng_.pick(kOps) + " " + integer() + ", " + integer() + ", " + source() + ";");
    }
  }

  void floating() {
    static const std::vector<std::string> kOps = {"add.rn.f32", "sub.rn.f32",    "mul.rn.f32",
                                                  "min.f32",    "max.f32",       "div.rn.f32",
                                                  "add.rz.f32", "mul.rn.ftz.f32"};
    switch (rng_.between(0, 5)) {
      case 0:
        return line("fma.rn.f32 " + real() + ", " + real() + ", " + real() + ", " + real() + ";");
      case 1:
        return line("cvt.rn.f32.s32 " + real() + ", " + integer() + ";");
      case 2:
        return line("cvt.rzi.s32.f32 " + integer() + ", " + real() + ";");
      case 3:
        return line("mov.b32 " +
                    (rng_.coin() ? integer() + ", " + real() : real() + ", " + integer()) + ";");
      default:
        return line(rng_.pick(kOps) + " " + real() + ", " + real() + ", " + real() + ";");
    }
  }

  void mixed() {
    switch (rng_.between(0, 6)) {
      case 0:
        return line("mul.wide." + std::string(rng_.coin() ? "s32 " : "u32 ") + wide() + ", " +
                    integer() + ", " + source() + ";");
      case 1:
        return line("cvt.u64.u32 " + wide() + ", " + integer() + ";");
      case 2:
        return line("cvt.s64.s32 " + wide() + ", " + integer() + ";");
      case 3:
        return line("cvt.u32.u64 " + integer() + ", " + wide() + ";");
      case 4:
        return line("add.s64 " + wide() + ", " + wide() + ", " + wide() + ";");
      case 5:
        return line("mad.wide.s32 " + wide() + ", " + integer() + ", " + source() + ", " + wide() +
                    ";");
      default:
        line("cvt.u16.u32 %h0, " + integer() +
             "; add.u16 %h1, %h0, %h2; mul.lo.u16 %h2, %h1, 3; cvt.s32.s16 " + integer() +
             ", %h2;");
    }
  }

  std::string predicate(bool uniform = false) {
    static const std::vector<std::string> kCompare = {"lt", "ge", "eq", "ne", "le", "gt"};
    const std::string p = "%p" + std::to_string(rng_.between(0, 2));
    if (uniform) {
      line("setp." + rng_.pick(kCompare) + ".u32 " + p + ", %r26, " +
           std::to_string(rng_.between(0, 2)) + ";");
    } else if (rng_.between(0, 4) == 0) {
      line("setp." + rng_.pick(kCompare) + ".f32 " + p + ", " + real() + ", " + real() + ";");
    } else {
      line("and.b32 %r33, " + integer() + ", 31; setp." + rng_.pick(kCompare) + ".u32 " + p +
           ", %r33, " + std::to_string(rng_.between(0, 31)) + ";");
    }
    return p;
  }

  void guarded() {
    const std::string p = predicate();
    if (rng_.coin())
      return line("selp.u32 " + integer() + ", " + integer() + ", " + source() + ", " + p + ";");
    line("@" + std::string(rng_.coin() ? "!" : "") + p + " add.u32 " + integer() + ", " +
         integer() + ", " + source() + ";");
  }

  void gather() {
    const bool guards = rng_.between(0, 3) == 0;
    const std::string p = guards ? "@" + predicate() + " " : "";
    line("and.b32 %r34, " + integer() +
         ", 255; mul.wide.u32 %rd16, %r34, 4; add.s64 %rd17, %rd10, %rd16;");
    static const std::vector<std::string> kLoads = {"ld.global.u32 ", "ld.global.nc.u32 ",
                                                    "ld.global.s16 ", "ld.global.u8 "};
    line(p + rng_.pick(kLoads) + integer() + ", [%rd17];");
  }

  void count_up() {
    line("and.b32 %r35, " + integer() +
         ", 15; mul.wide.u32 %rd18, %r35, 4; add.s64 %rd19, %rd12, %rd18;");
    static const std::vector<std::string> kAdds = {"red.global.add.u32 [%rd19], ",
                                                   "red.global.add.u32 [%rd12], "};
    line(rng_.pick(kAdds) + integer() + ";");
  }

  void exchange() {
    static const std::vector<std::string> kModes = {"bfly", "up", "down", "idx"};
    const std::string mode = rng_.pick(kModes);
    switch (rng_.between(0, 2)) {
      case 0: {
        const std::string p = predicate();
        return line("vote.sync.ballot.b32 " + integer() + ", " + p + ", 0xffffffff;");
      }
      default:
        line("shfl.sync." + mode + ".b32 " + integer() + ", " + integer() + ", " +
             std::to_string(rng_.between(0, 31)) + ", " + (mode == "up" ? "0" : "31") +
             ", 0xffffffff;");
    }
  }

  /// The address of 8 bytes of shared memory that are this thread's.
  void own_place() { line("shl.b32 %r36, %r25, 3; mov.u32 %r37, own; add.u32 %r36, %r36, %r37;"); }

  // Stores and loads of other widths, at places of the thread's own, in every space.
  void keep() {
    static const std::vector<std::string> kTypes = {"u8", "s8", "u16", "s16", "u32"};
    const std::string type = rng_.pick(kTypes), back = rng_.pick(kTypes);
    const std::string guard = rng_.between(0, 3) == 0 ? "@" + predicate() + " " : "";
    const std::string at = std::to_string(rng_.between(0, 1) * 4);
    switch (rng_.between(0, 4)) {
      case 0:
        own_place();
        line(guard + "st.shared." + type + " [%r36+" + at + "], " + integer() + ";");
        return line("ld.shared." + back + " " + integer() + ", [%r36+" + at + "];");
      case 1:
        line(guard + "st.local." + type + " [mine+" + at + "], " + integer() + ";");
        return line("ld.local." + back + " " + integer() + ", [mine+" + at + "];");
      case 2:
        line(guard + "st.global." + type + " [%rd11+" + at + "], " + integer() + ";");
        return line("ld.global." + back + " " + integer() + ", [%rd11+" + at + "];");
      case 3:  // a local array, indexed
        line("and.b32 %r36, " + integer() + ", 60; mov.u32 %r37, mine; add.u32 %r36, %r36, %r37;");
        line(guard + "st.local.u32 [%r36], " + integer() + ";");
        return line("ld.local.u32 " + integer() + ", [%r36];");
      default:
        own_place();
        line("cvt.u64.u32 %rd20, %r36; cvta.shared.u64 %rd20, %rd20;");
        line(guard + "st.u64 [%rd20], " + wide() + ";");
        return line("ld.v2.u32 {" + integer() + ", %r39}, [%rd20];");
    }
  }

  // Atomics whose old value is used: nobody else's memory, so that no order shows. Those that
  // locks are made of are for the interpreter in loops that part lanes: few of them there.
  void swap() {
    static const std::vector<std::string> kOps = {"add.u32", "exch.b32", "min.s32", "max.u32",
                                                  "and.b32", "or.b32",   "xor.b32", "inc.u32"};
    const bool locks = loops_ == 0 || rng_.between(0, 20) == 0;
    own_place();
    const std::string guard = rng_.between(0, 3) == 0 ? "@" + predicate() + " " : "";
    if (locks && rng_.between(0, 3) == 0) {
      return line(guard + "atom.shared.cas.b32 " + integer() + ", [%r36], " + source() + ", " +
                  integer() + ";");
    }
    const bool shared = rng_.coin();
    const std::string op = rng_.pick(kOps);
    line(guard + "atom." + (shared ? "shared." : "global.") +
         (op == "exch.b32" && !locks ? "add.u32" : op) + " " + integer() + ", [" +
         (shared ? "%r36" : "%rd11") + "], " + integer() + ";");
  }

  // A histogram in shared memory.
  void sum_up() {
    line("and.b32 %r36, " + integer() + ", 60; mov.u32 %r37, tile; add.u32 %r36, %r36, %r37;");
    line("mov.u32 %r38, 0; st.shared.u32 [%r36], %r38; bar.sync 0;");
    line("red.shared.add.u32 [%r36], " + integer() + "; bar.sync 0;");
    line("ld.shared.u32 " + integer() + ", [%r36]; bar.sync 0;");
  }

  void logic() {
    switch (rng_.between(0, 4)) {
      case 0:
        return line("lop3.b32 " + integer() + ", " + integer() + ", " + integer() + ", " +
                    source() + ", " + std::to_string(rng_.between(0, 255)) + ";");
      case 1:
        return line("prmt.b32 " + integer() + ", " + integer() + ", " + integer() + ", " +
                    std::to_string(rng_.between(0, 0xffff)) + ";");
      case 2:
        return line("shf.l.wrap.b32 " + integer() + ", " + integer() + ", " + integer() + ", " +
                    std::to_string(rng_.between(0, 31)) + ";");
      case 3:
        return line(std::string(rng_.coin() ? "clz.b32 " : "brev.b32 ") + integer() + ", " +
                    integer() + ";");
      default:
        return line("ld.global.v4.u32 {" + integer() + ", %r31, %r32, %r39}, [%rd10+" +
                    std::to_string(16 * rng_.between(0, 63)) + "];");
    }
  }

  void precise() {
    line("cvt.rn.f64.s32 %d0, " + integer() + "; cvt.f64.f32 %d1, " + real() + ";");
    static const std::vector<std::string> kOps = {"add.rn.f64", "mul.rn.f64", "min.f64"};
    line(rng_.pick(kOps) + " %d0, %d0, %d1; fma.rn.f64 %d0, %d0, %d1, %d0;");
    line("cvt.rn.f32.f64 " + real() + ", %d0; mov.b64 " + wide() + ", %d0;");
  }

  void share() {
    line("shl.b32 %r36, %r25, 2; mov.u32 %r37, tile; add.u32 %r36, %r36, %r37;");
    line("st.shared.u32 [%r36], " + integer() + "; bar.sync 0;");
    line("add.u32 %r38, %r25, " + std::to_string(rng_.between(1, 40)) +
         "; rem.u32 %r38, %r38, %r28; shl.b32 %r38, %r38, 2; add.u32 %r38, %r38, %r37;");
    line("ld.shared.u32 " + integer() + ", [%r38]; bar.sync 0;");
  }

  void leave() {
    const std::string p = predicate();
    if (rng_.coin()) return line("@" + p + " ret;");
    line("@" + p + " bra EXIT" + std::to_string(exits_) + ";");
    // The exit may be a return of its own, or the guard may stand on the return itself.
    const std::string over = label();
    line("bra " + over + ";");
    body_ += "EXIT" + std::to_string(exits_++) + ":\n";
    line("ret;");
    body_ += over + ":\n";
  }

  void branch(int depth, bool together) {
    const bool uniform = rng_.between(0, 3) == 0;
    const std::string p = predicate(uniform), other = label(), end = label();
    const bool two_sided = rng_.coin();
    line("@" + p + " bra " + (two_sided ? other : end) + ";");
    statements(depth + 1, together && uniform);
    if (two_sided) {
      line("bra " + end + ";");
      body_ += other + ":\n";
      statements(depth + 1, together && uniform);
    }
    body_ += end + ":\n";
  }

  void loop(int depth, bool together) {
    const bool uniform = rng_.coin();
    const std::string counter = "%r" + std::to_string(10 + depth),
                      bound = "%r" + std::to_string(14 + depth);
    const std::string head = label(), next = label(), end = label();
    line("mov.u32 " + counter + ", 0;");
    line(uniform ? "mov.u32 " + bound + ", " + std::to_string(rng_.between(1, 4)) + ";"
                 : "and.b32 " + bound + ", " + integer() + ", 3;");
    body_ += head + ":\n";
    ++loops_;
    const bool breaks = rng_.between(0, 2) == 0, skips = rng_.between(0, 3) == 0;
    statements(depth + 1, together && uniform && !breaks);
    if (skips) line("@" + predicate() + " bra " + next + ";");
    if (breaks) line("@" + predicate() + " bra " + end + ";");
    statements(depth + 1, together && uniform && !breaks && !skips);
    --loops_;
    body_ += next + ":\n";
    const std::string p = "%p" + std::to_string(3 + std::min(depth, 2));
    line("add.u32 " + counter + ", " + counter + ", 1; setp.lt.u32 " + p + ", " + counter + ", " +
         bound + "; @" + p + " bra " + head + ";");
    body_ += end + ":\n";
  }

  Rng rng_;
  int left_;
  int labels_ = 0, exits_ = 0, loops_ = 0;
  std::string body_;
};

}  // namespace warpledger::exec
