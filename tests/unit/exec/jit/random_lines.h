// What the random kernels are made of that does not branch, beyond a thread's own values
// (random_values.h): instructions of whole warps, accesses. Races are not made: threads write
// places of their own, or add up.
#pragma once

#include "tests/unit/exec/jit/random_values.h"

namespace warpledger::exec {

/// Lanes that meet, and memory.
class KernelAccesses : public KernelValues {
 protected:
  using KernelValues::KernelValues;

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
    static const std::vector<std::string> kVotes = {"any", "all", "uni"};
    static const std::vector<std::string> kReductions = {"add.u32", "min.s32", "max.u32",
                                                         "and.b32", "or.b32",  "xor.b32"};
    switch (rng_.between(0, 7)) {
      case 1:
        line("vote.sync." + rng_.pick(kVotes) + ".pred %p5, " + predicate() + ", -1;");
        return line("selp.u32 " + integer() + ", 1, " + integer() + ", %p5;");
      case 2:
        return line("redux.sync." + rng_.pick(kReductions) + " " + integer() + ", " + integer() +
                    ", 0xffffffff;");
      case 3:
        line("bar.warp.sync 0xffffffff;");
        line("shfl.sync." + mode + ".b32 " + integer() + "|%p5, " + integer() + ", " + integer() +
             ", " + (rng_.coin() ? integer() : std::to_string(rng_.between(0, 0x1f1f))) +
             ", 0xffffffff;");
        return line("selp.u32 " + integer() + ", 5, " + integer() + ", %p5;");
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
    static const std::vector<std::string> kOps = {"add.u32", "exch.b32", "min.s32",
                                                  "max.u32", "and.b32",  "or.b32",
                                                  "xor.b32", "inc.u32",  "dec.u32"};
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

  // Sums of two words, or of more, by carries; some of their lanes are off.
  void carry() {
    const std::string guard = rng_.between(0, 3) == 0 ? "@" + predicate() + " " : "";
    static const std::vector<std::string> kFirst = {"add.cc.u32 ", "sub.cc.s32 ", "mad.lo.cc.u32 ",
                                                    "mad.hi.cc.s32 "};
    static const std::vector<std::string> kThen = {"addc.u32 ", "subc.cc.s32 ", "addc.cc.u32 ",
                                                   "madc.hi.u32 ", "madc.lo.cc.s32 "};
    const auto sum = [&](const std::string& op) {
      const std::string third = op[0] == 'm' ? ", " + integer() : "";
      line(guard + op + integer() + ", " + integer() + ", " + source() + third + ";");
    };
    if (strict_ || rng_.coin()) sum(rng_.pick(kFirst));  // else what was left before
    for (int64_t i = rng_.between(0, 2); i >= 0; --i) sum(rng_.pick(kThen));
    if (rng_.between(0, 3) != 0) return;
    line("sub.cc.u64 " + wide() + ", " + wide() + ", " + wide() + "; addc.u64 " + wide() + ", " +
         wide() + ", " + wide() + ";");
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
    line("cvt.rn.f32.f64 " + real() + ", %d0;");
    const std::string to = wide();
    line("mov.b64 " + to + ", %d0;");
    if (strict_) line("setp.nan.f64 %q3, %d0, %d0; @%q3 mov.b64 " + to + ", 0x7fffffffffffffff;");
  }

  void share() {
    line("shl.b32 %r36, %r25, 2; mov.u32 %r37, tile; add.u32 %r36, %r36, %r37;");
    line("st.shared.u32 [%r36], " + integer() + "; bar.sync 0;");
    line("add.u32 %r38, %r25, " + std::to_string(rng_.between(1, 40)) +
         "; rem.u32 %r38, %r38, %r28; shl.b32 %r38, %r38, 2; add.u32 %r38, %r38, %r37;");
    line("ld.shared.u32 " + integer() + ", [%r38]; bar.sync 0;");
  }

  // Bytes of the input to 16 of shared memory that are this thread's; some copies are of part of
  // them, or of none.
  void copy() {
    static const std::vector<std::string> kSizes = {"4", "8", "16"};
    const std::string size = rng_.pick(kSizes);
    const std::string guard = rng_.between(0, 3) == 0 ? "@" + predicate() + " " : "";
    line("shl.b32 %r36, %r25, 4; mov.u32 %r37, lines; add.u32 %r36, %r36, %r37;");
    line("and.b32 %r34, " + integer() + ", " + std::to_string(rng_.coin() ? 0 : 63) +
         "; add.u32 %r34, %r34, %r30; and.b32 %r34, %r34, 63;");
    line("mul.wide.u32 %rd16, %r34, 16; add.s64 %rd17, %rd10, %rd16;");
    line("@%p0 st.shared.u32 [%r36], " + integer() + ";");
    std::string given;
    if (rng_.between(0, 2) == 0) {
      line("and.b32 %r38, " + integer() + ", " + (rng_.coin() ? "16" : "31") + ";");
      if (strict_) line("min.u32 %r38, %r38, " + size + ";");
      given = ", %r38";
    }
    line(guard + "cp.async.ca.shared.global [%r36], [%rd17], " + size + given + ";");
    if (rng_.coin()) line("cp.async.commit_group;");
    const bool looks_early = rng_.coin();
    if (looks_early && !strict_) line("ld.shared.u32 " + integer() + ", [%r36];");  // not there yet
    static const std::vector<std::string> kWaits = {"cp.async.wait_all;", "cp.async.wait_group 0;",
                                                    "cp.async.wait_group 1;"};
    const std::string wait = rng_.pick(kWaits);
    line(strict_ ? "cp.async.wait_all;" : wait);
    line("ld.shared.v2.u32 {" + integer() + ", " + integer() + "}, [%r36+" +
         std::to_string(8 * rng_.between(0, 1)) + "];");
  }

  // Rows of the tile to registers and back, and a product. Only for warps that are whole.
  void matrix() {
    const std::string turned = rng_.coin() ? ".trans" : "";
    line(
        "and.b32 %r36, %r25, 127; shl.b32 %r36, %r36, 4; mov.u32 %r37, rows; add.u32 %r36, %r36, "
        "%r37;");
    line("st.shared.v4.u32 [%r36], {" + integer() + ", " + integer() + ", " + integer() + ", " +
         integer() + "}; bar.sync 0;");
    static const std::vector<std::string> kCounts = {"x1", "x2", "x4"};
    const size_t kind = static_cast<size_t>(rng_.between(0, 2));
    static const std::vector<std::string> kLists = {"{%r31}", "{%r31, %r32}",
                                                    "{%r31, %r32, %r38, %r39}"};
    line("ldmatrix.sync.aligned.m8n8." + kCounts[kind] + turned + ".shared.b16 " + kLists[kind] +
         ", [%r36]; bar.sync 0;");
    line("and.b32 %r31, %r31, 0x3fff3fff; and.b32 %r32, %r32, 0xbfff3fff;");
    line(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r31, %r32}, "
        "{%r31}, {%f0, %f1, %f2, %f3};");
    line("mov.f32 " + real() + ", %f" + std::to_string(rng_.between(4, 7)) + "; xor.b32 " +
         integer() + ", %r31, %r32;");
  }
};

}  // namespace warpledger::exec
