// Random structured kernels: divergence, nested loops, breaks, early returns, barriers in loops,
// shuffles, atomics, mixed widths, local and generic memory, asynchronous copies, matrices,
// accesses at the edges of memory, calls of random functions, jumps through tables.
#pragma once

#include <string>

#include "tests/unit/exec/jit/random_calls.h"

namespace warpledger::exec {

class RandomKernel : private KernelCalls {
 public:
  using KernelLines::kCounters, KernelLines::kInputs, KernelPlaces::kScratchWords;
  static constexpr int kWordsPerThread = kIntegers + kFloats + 2 * kLongs;

  /// Every eighth has instructions that need whole warps: it wants blocks of such, and none of its
  /// lanes leaves early.
  static bool needs_whole_warps(uint64_t seed) { return seed % 8 == 0; }
  /// Every other is short and most of its statements are accesses at the edges of memory.
  static bool is_of_edges(uint64_t seed) { return seed % 2 == 1; }

  /// Parameters: in (u32[256]), out (u32[threads * kWordsPerThread]), counters (u32[16]),
  /// scratch (u32[CTAs * kScratchWords]).
  RandomKernel(uint64_t seed, int size, bool strict = false)
      : KernelCalls(seed, size, strict),
        left_(is_of_edges(seed) ? 3 + size / 6 : 2 + size / 2),
        whole_warps_(needs_whole_warps(seed)),
        of_edges_(is_of_edges(seed)) {}

  std::string text() {
    const std::string functions = make_functions();
    return header() + functions + entry("k");
  }
  /// The text before the kernels of a module.
  static std::string header() {
    return ".version 8.4\n.target sm_80\n.address_size 64\n" + table();
  }
  std::string entry(const std::string& name) {
    prologue();
    do {
      statements(0, true);
    } while (of_edges_ && left_ > 0);
    epilogue();
    return ".visible .entry " + name +
           "(.param .u64 in, .param .u64 out, .param .u64 counters, "
           ".param .u64 scratch)\n{\n" +
           declarations() + edge_registers() + body_ + "}\n";
  }

 private:
  /// Every fourth kernel calls some; a function may call those before it.
  std::string make_functions() {
    const int64_t count = strict_ || rng_.between(0, 3) != 0 ? 0 : rng_.between(1, 3);
    std::string all;
    const int left = left_;
    for (int64_t i = 0; i < count; ++i) {
      left_ = static_cast<int>(rng_.between(1, 8));
      all += function(functions_);
      ++functions_;
      body_.clear();
    }
    left_ = left;
    return all;
  }
  // Registers that it reads first are zeros; a result is there whichever way it returns.
  std::string function(int number) {
    in_function_ = true;
    for (int i = 0; i < 64; i += 16)  // what others left there depends on where they kept theirs
      line("st.local.v4.u32 [mine+" + std::to_string(i) + "], {%r39, %r39, %r39, %r39};");
    line(taken(number));
    line("mov.u32 %r26, %ctaid.x; add.u32 %r2, %r0, %r1;");
    line(given(number));
    statements(1, false);
    line(given(number));
    if (rng_.between(0, 3) != 0) line("ret;");
    in_function_ = false;
    return signature(number) +
           "\n{\n  .reg .pred %p<6>; .reg .pred %q<6>; .reg .b16 %h<4>; .reg .b32 %r<40>; .reg "
           ".f32 "
           "%f<8>; .reg .b64 %rd<24>; .reg .f64 %d<2>;\n  .local .align 16 .b8 mine[64];\n" +
           body_ + "}\n";
  }

  static std::string declarations() {
    return "  .reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<40>; .reg .f32 %f<8>; .reg .b64 "
           "%rd<24>; .reg .f64 %d<2>;\n"
           "  .shared .align 16 .b8 low[" +
           std::to_string(kLowBytes) +
           "];\n"
           "  .shared .align 16 .b8 tile[4096]; .shared .align 16 .b8 own[8192];\n"
           "  .shared .align 16 .b8 lines[2048]; .shared .align 16 .b8 rows[2048];\n"
           "  .shared .align 16 .b8 high[" +
           std::to_string(kHighBytes) +
           "];\n"
           "  .local .align 16 .b8 mine[64];\n";
  }
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
    line("ld.param.u64 %rd21, [scratch];");
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
    if (strict_) clear();
    fill_edges();
    line("cvt.u64.u32 %rd0, %r20; mul.wide.s32 %rd1, %r6, -5; mov.u64 %rd2, 0x123456789ABCDEF;");
  }

  /// Registers and local memory that statements may read before they write.
  void clear() {
    for (const int i : {31, 32, 33, 38, 39}) line("mov.u32 %r" + std::to_string(i) + ", 0;");
    for (int i = 0; i < 8; ++i) line("mov.u32 %e" + std::to_string(i) + ", 0;");
    for (int i = 0; i < 6; ++i) line("setp.ne.u32 %p" + std::to_string(i) + ", 0, 0;");
    for (int i = 0; i < 4; ++i)
      line("mov.u16 %h" + std::to_string(i) + ", 0; mov.f32 %f" + std::to_string(4 + i) +
           ", 0f00000000; mov.u64 %ed" + std::to_string(4 + i) + ", 0;");
    for (int i = 0; i < 64; i += 4) line("st.local.u32 [mine+" + std::to_string(i) + "], 0;");
  }

  void epilogue() {
    for (int i = 0; strict_ && i < kFloats; ++i) {
      const std::string f = "%f" + std::to_string(i);
      line("setp.nan.f32 %q3, " + f + ", " + f + "; @%q3 mov.f32 " + f + ", 0f7FFFFFFF;");
    }
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
    if (in_function_) return inner_statement(depth);
    if (functions_ > 0 && rng_.between(0, 3) == 0)
      return call(static_cast<int>(rng_.between(0, functions_ - 1)));
    if (!strict_ && depth < 3 && rng_.between(0, 15) == 0) return choose(depth);
    if (of_edges_ && rng_.between(0, 4) != 0) return edge(together);
    const int64_t kind = rng_.between(0, depth < 3 ? 27 : 21);
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
        return together && (whole_warps_ || !strict_) ? exchange() : arithmetic();
      case 9:
        return together ? share() : floating();
      case 10:
        return keep();
      case 11:
        return swap();
      case 12:
        return rng_.coin() ? together ? sum_up() : logic() : precise();
      case 13:
        return fields();
      case 14:
        return rng_.coin() ? carry() : approximate();
      case 15:
        return copy();
      case 16:
        return whole_warps_ && together ? matrix() : fields();
      case 17:
      case 18:
      case 19:
      case 20:
        return edge(together);
      case 21:
        return whole_warps_ && together ? edge_matrix() : edge(together);
      case 22:
      case 23:
        return branch(depth, together);
      case 24:
      case 25:
      case 26:
        return loop(depth, together);
      default:
        return rng_.between(0, 2) == 0 && !whole_warps_ ? leave() : branch(depth, together);
    }
  }

  void inner_statement(int depth) {
    switch (rng_.between(0, depth < 3 ? 12 : 7)) {
      case 0:
      case 1:
        return arithmetic();
      case 2:
        return floating();
      case 3:
        return guarded();
      case 4:
        return keep_local();
      case 5:
        return fields();
      case 6:
        return approximate();
      case 7:
        return functions_ > 0 ? call(static_cast<int>(rng_.between(0, functions_ - 1))) : precise();
      case 8:
      case 9:
        return branch(depth, false);
      case 10:
        return loop(depth, false);
      case 11:
        return choose(depth);
      default:
        return leave();
    }
  }

  void keep_local() {
    const std::string guard = rng_.between(0, 3) == 0 ? "@" + predicate() + " " : "";
    line("and.b32 %r36, " + integer() + ", 60; mov.u32 %r37, mine; add.u32 %r36, %r36, %r37;");
    line(guard + "st.local.u32 [%r36], " + integer() + ";");
    line("ld.local.u16 " + integer() + ", [%r36+2];");
  }

  // Two to four ways, some of them the same.
  void choose(int depth) {
    const std::string list = label(), end = label();
    const auto ways = static_cast<int>(rng_.between(2, 4));
    std::vector<std::string> to;
    for (int i = 0; i < ways; ++i) to.push_back(label());
    std::string targets;
    for (int i = 0; i < 4; ++i)
      targets += (i > 0 ? ", " : "") + (rng_.between(0, 5) == 0 ? end : rng_.pick(to));
    line("and.b32 %r33, " + (rng_.between(0, 2) == 0 ? "%r26" : integer()) + ", 3;");
    body_ += list + ": .branchtargets " + targets + ";\n";
    line("brx.idx %r33, " + list + ";");
    for (const std::string& way : to) {
      body_ += way + ":\n";
      statements(depth + 1, false);
      if (rng_.between(0, 3) != 0) line("bra " + end + ";");
    }
    body_ += end + ":\n";
  }

  void guarded() {
    const std::string p = predicate();
    if (rng_.coin())
      return line("selp.u32 " + integer() + ", " + integer() + ", " + source() + ", " + p + ";");
    line("@" + std::string(rng_.coin() ? "!" : "") + p + " add.u32 " + integer() + ", " +
         integer() + ", " + source() + ";");
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

  int left_;
  int exits_ = 0, functions_ = 0;
  bool in_function_ = false;
  bool whole_warps_, of_edges_;
};

}  // namespace warpledger::exec
