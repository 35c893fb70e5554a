// The small programs of program_test.cpp: one for each spelling of the opcodes that need memory,
// other threads or a place to go. %r0 is the thread, %r1 the address of `tile`, %r3 the thread's
// word of it, %rd0 the buffer, %rd2 the thread's word of it, %rd4 `tile` as a generic address. Each
// program leaves a word in %r31.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "tests/unit/exec/semantics/spellings.h"

namespace warpledger::exec {

using ptx::Modifier;
using ptx::Space;

struct Program {
  std::string body;
  uint32_t threads = 1;
  std::function<uint32_t(uint32_t)> want = [](uint32_t) { return 1u; };
};

inline constexpr const char* kProgramHead = R"(
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .b64 %rd<32>; .reg .b128 %q<4>; .reg .f32 %f<4>; .reg .f64 %d<4>;
.shared .align 16 .b8 tile[512]; .local .align 16 .b8 box[64];
ld.param.u64 %rd0, [p0]; mov.u32 %r0, %tid.x; mov.u32 %r31, 0;
mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1; mov.u64 %rd3, tile; cvta.shared.u64 %rd4, %rd3;
)";

// The carry is 1 before. d and the carry after it, against 128 bits.
inline Program carry_program(const std::string& text, const ptx::Spelling& s) {
  __extension__ typedef unsigned __int128 Wide;
  const int n = ptx::bits(s.type());
  const bool takes = s.op() == Op::kAddc || s.op() == Op::kSubc || s.op() == Op::kMadc;
  const bool subtracts = s.op() == Op::kSub || s.op() == Op::kSubc;
  const bool multiplies = s.op() == Op::kMad || s.op() == Op::kMadc;
  const Wide all = (Wide{1} << n) - 1, in = takes ? 1 : 0;
  Wide a = all - 2, b = all, c = all;  // -3, -1, -1
  Program program;
  const std::string reg = n == 64 ? "%rd" : "%r";
  program.body =
      fmt::format("mov.b{0} {1}10, -3; mov.b{0} {1}11, -1; add.cc.u32 %r20, -1, 1;\n", n, reg);
  program.body += text + fmt::format(" {0}12, {0}10, {0}11{1};\naddc.u32 %r21, 0, 0;\n", reg,
                                     multiplies ? ", " + reg + "11" : "");
  if (multiplies) {
    const bool is_signed = ptx::kind(s.type()) == ptx::TypeKind::kSigned;
    const Wide high = is_signed ? 0 : (a * b) >> n;  // -3 * -1 = 3
    a = s.has(Modifier::kHi) ? high : a * b & all;
    b = c;
  }
  const Wide sum = subtracts ? a - b - in : a + b + in;
  const bool carry = !s.has(Modifier::kCc) || (sum >> n) != 0;
  const auto low = static_cast<uint64_t>(sum & all);
  program.body += fmt::format(
      "setp.eq.u64 %p0, %rd12, {0:#x}; setp.eq.u32 %p1, %r12, {1:#x};\n"
      "and.pred %p0, {2}, {2}; selp.u32 %r31, 2, 0, %p0; add.u32 %r31, %r31, %r21;",
      low, static_cast<uint32_t>(low), n == 64 ? "%p0" : "%p1");
  program.want = [carry](uint32_t) { return carry ? 3u : 2u; };
  return program;
}

inline Program move_program(const std::string& text, const ptx::Spelling& s) {
  const std::string type(ptx::to_text(s.type()));
  if (type == "pred")
    return {"setp.eq.u32 %p0, %r0, %r0; " + text + " %p1, %p0; selp.u32 %r31, 1, 0, %p1;"};
  if (type == "b128") {
    return {"mov.u64 %rd10, 1; mov.u64 %rd11, 2; mov.b128 %q0, {%rd10, %rd11}; " + text +
            " %q1, %q0; mov.b128 {%rd12, %rd13}, %q1; setp.eq.u64 %p0, %rd12, 1; "
            "setp.eq.and.u64 %p0, %rd13, 2, %p0; selp.u32 %r31, 1, 0, %p0;"};
  }
  const int bits = ptx::bits(s.type());
  const std::string reg = type == "f32"   ? "%f"
                          : type == "f64" ? "%d"
                          : bits == 16    ? "%h"
                          : bits == 32    ? "%r"
                                          : "%rd";
  return {
      fmt::format("mov.b{0} {1}1, 0x1234; {2} {1}3, {1}1; mov.b{0} {3}5, {1}3; cvt.u32.u{0} "
                  "%r31, {3}5; sub.u32 %r31, %r31, 0x1233;",
                  bits, reg, text,
                  bits == 16   ? "%h"
                  : bits == 32 ? "%r"
                               : "%rd")};
}

// Each space's variable as a generic address and back; isspacep says yes to it and no to another.
inline Program address_program(const std::string& text, const ptx::Spelling& s) {
  const Space space = s.space();
  const std::string variable = space == Space::kShared || space == Space::kSharedCluster ? "tile"
                               : space == Space::kLocal                                  ? "box"
                               : space == Space::kConst                                  ? "table"
                               : space == Space::kParam                                  ? "p0"
                                                                                         : "%rd0";
  const std::string name = space == Space::kShared || space == Space::kSharedCluster ? "shared"
                           : space == Space::kLocal                                  ? "local"
                           : space == Space::kConst                                  ? "const"
                           : space == Space::kParam                                  ? "param"
                                                                                     : "global";
  const std::string head = "mov.u64 %rd10, " + variable + ";";
  if (s.op() == Op::kIsspacep) {
    const std::string other = name == "global" ? "%rd4" : "%rd0";
    return {head + "cvta." + name + ".u64 %rd11, %rd10; " + text + " %p0, %rd11; " + text +
            " %p1, " + other + "; selp.u32 %r31, 1, 0, %p0; @%p1 add.u32 %r31, %r31, 2;"};
  }
  const std::string type = ptx::bits(s.type()) == 64 ? "u64" : "u32";
  const std::string reg = type == "u64" ? "%rd" : "%r";
  const std::string low = type == "u64" ? "" : "cvt.u32.u64 %r10, %rd10;";
  const bool to = s.has(Modifier::kTo);
  const std::string there = to ? "cvta." + name + "." + type : text;
  const std::string back = to ? text : "cvta.to." + name + "." + type;
  return {
      fmt::format("{0}{1} {2} {3}11, {3}10; {4} {3}12, {3}11; setp.eq.{5} %p0, {3}12, {3}10; "
                  "selp.u32 %r31, 1, 0, %p0;",
                  head, low, there, reg, back, type)};
}

// What changes no value: it runs, and what is there stays.
inline std::optional<Program> quiet_program(const std::string& text, const ptx::Spelling& s) {
  const bool local = s.space() == Space::kLocal;
  const std::string tail = "; ld.global.u32 %r31, [%rd0]; add.u32 %r31, %r31, 1;";
  switch (s.op()) {
    case Op::kPrefetch:
    case Op::kPrefetchu:
      return Program{text + (local ? " [box]" : " [%rd0]") + tail};
    case Op::kApplypriority:
    case Op::kDiscard:
      return Program{text + " [%rd0], 128" + tail};
    case Op::kCreatepolicy:
      if (s.has(Modifier::kRange)) return Program{text + " %rd10, [%rd0], 64, 128" + tail};
      if (s.has(Modifier::kCvt))
        return Program{"mov.u64 %rd11, 0; " + text + " %rd10, %rd11" + tail};
      return Program{text + " %rd10, 0.5; " + text + " %rd10" + tail};
    case Op::kMembar:
    case Op::kFence:
    case Op::kFenceProxy:
    case Op::kBrkpt:
      return Program{text + tail};
    case Op::kNanosleep:
      return Program{text + " 20; " + text + " %r0" + tail};
    case Op::kPmevent:
      return Program{text + " 3" + tail};
    default:
      return {};
  }
}

// Thread t writes 64 + t, reads what thread 63 - t wrote.
inline std::optional<Program> barrier_program(const std::string& text, const ptx::Spelling& s) {
  const std::string write = "add.u32 %r5, %r0, 64; st.shared.u32 [%r3], %r5;\n";
  const std::string read =
      "\nxor.b32 %r6, %r0, 63; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r1; ld.shared.u32 %r31, "
      "[%r6];";
  const auto reversed = [](uint32_t t) { return 64 + 63 - t; };
  switch (s.op()) {
    case Op::kBarSync:  // once with all threads, then a named one with a count
      return Program{
          write + text + " 0;" + read + text + " 7, 64; mov.u32 %r7, 3; " + text + " %r7;", 64,
          reversed};
    case Op::kBarArrive: {  // the second warp produces, the first one waits
      const std::string wait =
          s.has(Modifier::kAligned) || text.starts_with("bar.") ? "bar.sync" : "barrier.sync";
      return Program{write + "setp.lt.u32 %p0, %r0, 32; @%p0 bra WAIT;\n" + text +
                         " 5, 64; bra DONE;\nWAIT: " + wait + " 5, 64;" + read + "\nDONE:",
                     64, [](uint32_t t) { return t < 32 ? 64 + 63 - t : 0; }};
    }
    case Op::kBarRed: {
      const bool counts = s.has(Modifier::kPopc), all = s.has(Modifier::kAnd);
      const std::string to = counts ? " %r8" : " %p2";
      const std::string as_word = counts ? "" : "selp.u32 %r8, 40, 0, %p2;";
      return Program{
          fmt::format("setp.lt.u32 %p0, %r0, 40;\n{0}{1}, 1, %p0;{2} mov.u32 %r31, %r8;\n"
                      "{0}{1}, 2, 64, !%p0;{2} mad.lo.u32 %r31, %r8, 100, %r31;",
                      text, to, as_word),
          64, [=](uint32_t) { return counts ? 2440u
                                     : all  ? 0u
                                            : 4040u; }};
    }
    case Op::kBarWarpSync:
      return Program{write + text + " 0xffffffff;" +
                         "\nxor.b32 %r6, %r0, 31; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r1; "
                         "ld.shared.u32 %r31, [%r6];",
                     32, [](uint32_t t) { return 64 + 31 - t; }};
    default:
      return {};
  }
}

// An object for three arrivals: two complete nothing, the third one does.
inline std::optional<Program> object_program(const std::string& text, const ptx::Spelling& s) {
  const bool named = s.space() != Space::kGeneric;
  const std::string at = named ? " [tile]" : " [%rd4]";
  const std::string init = "mbarrier.init.shared.b64 [tile], 3;\n";
  const std::string plain = "mbarrier.arrive.shared.b64 %rd10, [tile];\n";
  const std::string test =
      "mbarrier.test_wait.shared.b64 %p0, [tile], %rd11; selp.u32 %r9, 1, 0, %p0; shl.b32 %r31, "
      "%r31, 1; or.b32 %r31, %r31, %r9;\n";
  const auto gives = [](uint32_t bits) { return [bits](uint32_t) { return bits; }; };
  const bool drops = s.op() == Op::kMbarrierArriveDrop;
  switch (s.op()) {
    case Op::kMbarrierInit:
      return Program{text + at + ", 3;\nmbarrier.arrive.shared.b64 %rd11, [tile];\n" + plain +
                         test + plain + test,
                     1, gives(1)};
    case Op::kMbarrierInval:  // the bytes may be used for something else, and initialized again
      return Program{init + text + at +
                     "; mbarrier.init.shared.b64 [tile], 1;\n"
                     "mbarrier.arrive.shared.b64 %rd11, [tile];\n" +
                     test};
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveDrop: {
      const std::string count = s.has(Modifier::kNoComplete) ? ", 1" : "";
      const std::string next = "mbarrier.arrive.shared.b64 %rd11, [tile];\n";
      // After a drop the next phase needs two arrivals, else three.
      return Program{init + text + " %rd11," + at + count + ";\n" + test + plain + test + plain +
                         test + next + plain + test,
                     1, gives(drops ? 3 : 2)};
    }
    case Op::kMbarrierTestWait: {
      const std::string asked = s.has(Modifier::kParity) ? ", 0" : ", %rd11";
      const std::string ask = text + " %p0," + at + asked +
                              "; selp.u32 %r9, 1, 0, %p0; shl.b32 %r31, %r31, 1; or.b32 %r31, "
                              "%r31, %r9;\n";
      return Program{
          init + "mbarrier.arrive.shared.b64 %rd11, [tile];\n" + plain + ask + plain + ask, 1,
          gives(1)};
    }
    case Op::kMbarrierPendingCount:
      return Program{init + plain + plain + text + " %r31, %rd10;", 1, gives(2)};
    default:
      return {};
  }
}

// The first word of the buffer is 0x1234567 there, 9 in shared memory until the copy is waited for.
inline std::optional<Program> copy_program(const std::string& text, const ptx::Spelling& s) {
  const std::string head =
      "mov.u32 %r8, 9; st.shared.v4.u32 [tile], {%r8,%r8,%r8,%r8}; mov.u32 %r9, 5; st.global.u32 "
      "[%rd0], %r9; mov.u64 %rd15, 0;\n";
  const std::string copies =
      "cp.async.ca.shared.global [tile], [%rd0], 4; cp.async.commit_group;\n"
      "cp.async.ca.shared.global [tile+4], [%rd0], 4;";
  const std::string sum =
      "ld.shared.u32 %r10, [tile]; ld.shared.u32 %r11, [tile+4]; mad.lo.u32 %r31, %r31, 10, %r10; "
      "mad.lo.u32 %r31, %r31, 10, %r11;\n";
  const auto gives = [](uint32_t value) { return [value](uint32_t) { return value; }; };
  switch (s.op()) {
    case Op::kCpAsync: {
      const std::string policy = s.has(Modifier::kL2CacheHint) ? ", %rd15" : "";
      return Program{
          head + text + " [tile], [%rd0], 16" + policy + "; ld.shared.u32 %r12, [tile];" +
              "cp.async.wait_all; ld.shared.u32 %r13, [tile]; mad.lo.u32 %r31, %r12, 10, "
              "%r13;",
          1, gives(95)};
    }
    case Op::kCpAsyncCommitGroup:
      return Program{
          head + copies + text + ";\ncp.async.wait_group 1;" + sum + "cp.async.wait_group 0;" + sum,
          1, gives(5955)};
    case Op::kCpAsyncWaitGroup:
      return Program{
          head + copies + "cp.async.commit_group;\n" + text + " 1;" + sum + text + " 0;" + sum, 1,
          gives(5955)};
    case Op::kCpAsyncWaitAll:
      return Program{head + copies + sum + text + ";" + sum, 1, gives(9955)};
    case Op::kCpAsyncMbarrierArrive: {
      // Without .noinc the pending count was raised for this arrival: one more is needed.
      const std::string at = s.space() != Space::kGeneric ? " [tile+16]" : " [%rd4+16]";
      return Program{
          head +
              "mbarrier.init.shared.b64 [tile+16], 1;\n"
              "cp.async.ca.shared.global [tile], [%rd0], 4;\n" +
              text + at +
              ";\n"
              "mbarrier.test_wait.parity.shared.b64 %p0, [tile+16], 0; selp.u32 %r31, 1, 0, %p0;",
          1, gives(s.has(Modifier::kNoinc) ? 1 : 0)};
    }
    default:
      return {};
  }
}

inline std::optional<Program> control_program(const std::string& text, const ptx::Spelling& s) {
  switch (s.op()) {
    case Op::kBra:
      return Program{text + " OVER; mov.u32 %r31, 7;\nOVER: add.u32 %r31, %r31, 1;"};
    case Op::kBrxIdx:
      return Program{"mov.u32 %r5, 1;\nLIST: .branchtargets A, B;\n" + text +
                     " %r5, LIST;\nA: mov.u32 %r31, 7;\nB: add.u32 %r31, %r31, 1;"};
    case Op::kCall:
      return Program{"mov.u32 %r5, 4; " + text + " (%r31), twice, (%r5);", 1,
                     [](uint32_t) { return 8u; }};
    case Op::kRet:
    case Op::kExit:  // lanes below two end before the store
      return Program{"mov.u32 %r31, 5; setp.lt.u32 %p0, %r0, 2; @%p0 " + text + ";", 4,
                     [](uint32_t t) { return t < 2 ? 0u : 5u; }};
    default:
      return {};
  }
}

inline std::optional<Program> program_of(const std::string& text, const ptx::Spelling& s) {
  if (s.has(Modifier::kCc) || s.op() == Op::kAddc || s.op() == Op::kSubc || s.op() == Op::kMadc)
    return carry_program(text, s);
  if (s.op() == Op::kMov) return move_program(text, s);
  if (s.op() == Op::kCvta || s.op() == Op::kIsspacep) return address_program(text, s);
  for (const auto find :
       {quiet_program, barrier_program, object_program, copy_program, control_program}) {
    if (auto program = find(text, s)) return program;
  }
  return {};
}

}  // namespace warpledger::exec
