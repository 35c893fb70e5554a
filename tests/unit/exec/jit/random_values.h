// What the random kernels are made of that stays in a thread's registers: arithmetic, conversions.
#pragma once

#include <string>

#include "tests/support/law.h"

namespace warpledger::exec {

/// Names of registers, and the text so far.
class KernelLines {
 public:
  static constexpr int kIntegers = 8, kFloats = 4, kLongs = 3;
  static constexpr int kInputs = 256, kCounters = 16;

 protected:
  /// `strict`: only what PTX defines, so that machine code must compute the same. Not defined are
  /// the bits of a NaN, quotients by zero, registers and local memory that nobody wrote, what
  /// asynchronous copies write before they are waited for, and what lanes that left would give.
  KernelLines(uint64_t seed, int size, bool strict = false) : rng_(seed, size), strict_(strict) {}

  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  std::string integer() { return "%r" + std::to_string(rng_.between(0, kIntegers - 1)); }
  std::string real() { return "%f" + std::to_string(rng_.between(0, kFloats - 1)); }
  std::string wide() { return "%rd" + std::to_string(rng_.between(0, kLongs - 1)); }
  std::string source() {
    return rng_.between(0, 4) == 0 ? std::to_string(rng_.between(-40, 4000)) : integer();
  }
  std::string label() { return "L" + std::to_string(labels_++); }

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

  /// The bits of a floating-point number; NaN has the same in all of them.
  void bits_of(const std::string& to, const std::string& from) {
    line("mov.b32 " + to + ", " + from + ";");
    if (strict_)
      line("setp.nan.f32 %q3, " + from + ", " + from + "; @%q3 mov.b32 " + to + ", 0x7fffffff;");
  }
  /// Where it is strict, `value` within 1 .. 2^15; in a register that nothing else uses.
  std::string divisor(const std::string& value) {
    if (!strict_) return value;
    line("mov.u32 %e13, " + value + "; and.b32 %e13, %e13, 0x7fff; add.u32 %e13, %e13, 1;");
    return "%e13";
  }
  /// Where it is strict, a position or length of a field below 32: ptxas folds larger constants
  /// otherwise than the PTX manual has it.
  std::string field(const std::string& value, const std::string& scratch) {
    if (!strict_) return value;
    line("mov.u32 " + scratch + ", " + value + "; and.b32 " + scratch + ", " + scratch + ", 31;");
    return scratch;
  }

  testing::Rng rng_;
  bool strict_;
  std::string body_;
  int labels_ = 0, loops_ = 0;
};

/// Values from values.
class KernelValues : public KernelLines {
 protected:
  using KernelLines::KernelLines;

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
        if (rng_.coin()) return bits_of(integer(), real());
        return line("mov.b32 " + real() + ", " + integer() + ";");
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

  // Two and three operands whose lowerings look at every bit.
  void fields() {
    std::string at = rng_.coin() ? integer() : std::to_string(rng_.between(0, 40));
    std::string length = rng_.coin() ? integer() : std::to_string(rng_.between(0, 40));
    at = field(at, "%e14"), length = field(length, "%e15");
    switch (rng_.between(0, 5)) {
      case 0:
        return line("bfe." + std::string(rng_.coin() ? "s32 " : "u32 ") + integer() + ", " +
                    integer() + ", " + at + ", " + length + ";");
      case 1:
        return line("bfe." + std::string(rng_.coin() ? "s64 " : "u64 ") + wide() + ", " + wide() +
                    ", " + at + ", " + length + ";");
      case 2:
        return line("bfi.b32 " + integer() + ", " + integer() + ", " + integer() + ", " + at +
                    ", " + length + ";");
      case 3:
        return line("shf." + std::string(rng_.coin() ? "l." : "r.") +
                    (rng_.coin() ? "clamp" : "wrap") + ".b32 " + integer() + ", " + integer() +
                    ", " + integer() + ", " + at + ";");
      case 4: {
        static const std::vector<std::string> kOps = {"div.s32", "div.u32", "rem.s32", "rem.u32"};
        const std::string op = rng_.pick(kOps), to = integer(), by = integer();
        return line(op + " " + to + ", " + by + ", " + divisor(source()) + ";");
      }
      default:
        line("mov.b32 {%h0, %h1}, " + integer() + "; mov.b32 " + integer() + ", {%h1, %h0};");
        return line("mov.b64 " + wide() + ", {" + integer() + ", " + integer() + "};");
    }
  }

  void approximate() {
    static const std::vector<std::string> kMath = {
        "ex2.approx.f32",     "ex2.approx.ftz.f32", "lg2.approx.f32",  "rsqrt.approx.ftz.f32",
        "rsqrt.approx.f32",   "sin.approx.f32",     "cos.approx.f32",  "tanh.approx.f32",
        "cvt.sat.f32.f32",    "cvt.rni.f32.f32",    "cvt.rmi.f32.f32", "cvt.rpi.ftz.f32.f32",
        "cvt.rzi.sat.f32.f32"};
    static const std::vector<std::string> kTwo = {"add.rm.f32", "sub.rp.f32", "mul.rz.f32",
                                                  "mul.rm.ftz.f32", "add.rz.ftz.f32"};
    static const std::vector<std::string> kThree = {"fma.rm.f32", "fma.rp.f32", "fma.rz.ftz.f32"};
    switch (rng_.between(0, strict_ ? 5 : 6)) {
      case 6:
        return packed();
      case 0:
        return line(rng_.pick(kTwo) + " " + real() + ", " + real() + ", " + real() + ";");
      case 1:
        return line(rng_.pick(kThree) + " " + real() + ", " + real() + ", " + real() + ", " +
                    real() + ";");
      case 2:
        line("cvt.u16.u32 %h3, " + integer() + ";");
        return line("cvt.f32." + std::string(rng_.coin() ? "f16 " : "bf16 ") + real() + ", %h3;");
      default:
        return line(any_function(kMath) + " " + real() + ", " + real() + ";");
    }
  }

 private:
  void packed() {
    static const std::vector<std::string> kTwo = {"add.f16x2", "sub.f16x2", "mul.f16x2"};
    if (rng_.coin())
      return line(rng_.pick(kTwo) + " " + integer() + ", " + integer() + ", " + integer() + ";");
    return line("fma.rn." + std::string(rng_.coin() ? "f16x2 " : "bf16x2 ") + integer() + ", " +
                integer() + ", " + integer() + ", " + integer() + ";");
  }

  /// Machine code multiplies by 1 / 2 pi before a sine, and by 2^24 before the logarithm of a
  /// subnormal number: not the same bits.
  std::string any_function(const std::vector<std::string>& all) {
    std::string one = rng_.pick(all);
    if (!strict_) return one;
    if (one.starts_with("sin") || one.starts_with("cos")) return "ex2.approx.ftz.f32";
    return one == "lg2.approx.f32" ? "lg2.approx.ftz.f32" : one;
  }
};

}  // namespace warpledger::exec
