// Kernels that are written to escape: accesses in a loop whose addresses wrap, step over ends and
// aim at the process itself, in every space, of every width. Where they begin and how far they step
// are parameters, so that one kernel is many attempts.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::exec {

class HostileKernel {
 public:
  static constexpr uint64_t kSharedBytes = 1024, kLocalBytes = 64, kConstBytes = 1000;

  explicit HostileKernel(uint64_t seed) : rng_(seed, 20) {
    const int accesses = static_cast<int>(rng_.between(1, 3));
    wide_ = rng_.between(0, 2) != 0;
    stride_ = rng_.coin() ? 4 : 16;
    space_ = rng_.pick(spaces());
    for (int i = 0; i < accesses; ++i) body_ += access();
  }

  [[nodiscard]] bool needs_whole_warps() const { return space_ == "matrix"; }

  /// p0: a buffer, p1: added to the first address, p2: to each next one, p3: how many turns.
  [[nodiscard]] std::string text() const {
    const std::string variables = fmt::format(".const .align 16 .b8 c[{}];\n", kConstBytes);
    const std::string kernel =
        kernel_text(fmt::format(R"(
    .shared .align 16 .b8 s[{}]; .local .align 16 .b8 l[{}];
    .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %rd<16>; .reg .pred %p<4>;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2]; ld.param.u64 %rd3, [p3];
    mov.u32 %r0, %tid.x; mov.u32 %r1, 1; mov.u64 %rd4, 1; mov.u16 %h0, 1;
{}    mul.wide.u32 %rd6, %r0, {};
    add.s64 %rd8, %rd8, %rd6; add.s64 %rd8, %rd8, %rd1;
    cvt.u32.u64 %r8, %rd8; cvt.u32.u64 %r9, %rd2;
    mov.u64 %rd9, 0;
next:
{}    add.s64 %rd8, %rd8, %rd2; add.u32 %r8, %r8, %r9;
    add.u64 %rd9, %rd9, 1; setp.lt.u64 %p0, %rd9, %rd3;
@%p0 bra next;
    cp.async.wait_all;
    ret;)",
                                kSharedBytes, kLocalBytes, base(), stride(), body_),
                    4);
    const size_t at = kernel.find(".visible");
    return kernel.substr(0, at) + variables + kernel.substr(at);
  }

 private:
  static const std::vector<std::string>& spaces() {
    static const std::vector<std::string> all = {
        "global",        "global", "global",         "shared",         "shared",
        "local",         "const",  "generic-global", "generic-shared", "generic-local",
        "generic-const", "copy",   "matrix"};
    return all;
  }
  [[nodiscard]] std::string base() const {
    if (space_ == "global" || space_ == "generic-global" || space_ == "copy")
      return "    mov.u64 %rd8, %rd0;\n";
    const bool in_shared = space_.ends_with("shared") || space_ == "matrix";
    const std::string variable = in_shared ? "s" : space_.ends_with("local") ? "l" : "c";
    std::string text = "    mov.u64 %rd8, " + variable + ";\n";
    if (space_.starts_with("generic"))
      text += "    cvta." + space_.substr(8) + ".u64 %rd8, %rd8;\n";
    return text;
  }
  [[nodiscard]] int stride() const {
    return space_.ends_with("local") ? 0 : needs_whole_warps() ? 16 : stride_;
  }

  std::string place() {
    // Shared memory has addresses of 32 bits as well, which wrap.
    const bool narrow = !wide_ && (space_ == "shared" || space_ == "local" || space_ == "const" ||
                                   space_ == "matrix");
    static const std::vector<int64_t> kNear = {0, 0, 0, 16, 64, -16, 4, -4, 256};
    static const std::vector<int64_t> kFar = {2147483632, -2147483648, 1000, 4096, -4096};
    const int64_t offset = rng_.pick(rng_.between(0, 9) == 0 ? kFar : kNear);
    return fmt::format("[{}+{}]", narrow ? "%r8" : "%rd8", offset);
  }

  std::string access() {
    if (space_ == "copy") return copy();
    if (space_ == "matrix") return matrix();
    const std::string in = space_.starts_with("generic") ? "" : "." + space_;
    const bool reads_only = space_.ends_with("const");
    const bool has_atomics = space_.ends_with("global") || space_.ends_with("shared");
    const int64_t kind = rng_.between(0, has_atomics ? 4 : 2);
    if (kind == 3) return atomic(in);
    if (kind == 4) return fmt::format("    red{}.add.u32 {}, %r1;\n", in, place());
    const bool stores = kind == 1 && !reads_only;
    static const std::vector<std::pair<const char*, const char*>> kTypes = {
        {".u8", "%h0"},
        {".u16", "%h0"},
        {".u32", "%r1"},
        {".u32", "%r1"},
        {".u64", "%rd4"},
        {".v2.u32", "{%r1, %r2}"},
        {".v4.u32", "{%r1, %r2, %r3, %r4}"},
        {".v2.u64", "{%rd4, %rd5}"}};
    // Mostly those that are aligned where lanes lie four bytes apart.
    const bool any = stride_ == 16 || rng_.between(0, 5) == 0;
    const auto& [type, registers] = kTypes[static_cast<size_t>(
        rng_.between(0, any ? static_cast<int64_t>(kTypes.size()) - 1 : 3))];
    return stores ? fmt::format("    st{}{} {}, {};\n", in, type, place(), registers)
                  : fmt::format("    ld{}{} {}, {};\n", in, type, registers, place());
  }

  std::string atomic(const std::string& in) {
    static const std::vector<std::string> kForms = {
        "atom{0}.add.u32 %r2, {1}, %r1",      "atom{0}.exch.b32 %r2, {1}, %r1",
        "atom{0}.cas.b32 %r2, {1}, %r1, %r3", "atom{0}.min.s32 %r2, {1}, %r1",
        "atom{0}.add.u64 %rd5, {1}, %rd4",    "atom{0}.cas.b64 %rd5, {1}, %rd4, %rd4",
        "atom{0}.exch.b64 %rd5, {1}, %rd4"};
    return "    " + fmt::format(fmt::runtime(rng_.pick(kForms)), in, place()) + ";\n";
  }

  /// Rows of 8x8 matrices at hostile places of shared memory.
  std::string matrix() {
    static const std::vector<std::pair<const char*, const char*>> kCounts = {
        {"x1", "{%r4}"}, {"x2", "{%r4, %r5}"}, {"x4", "{%r4, %r5, %r6, %r7}"}};
    const auto& [count, registers] = rng_.pick(kCounts);
    return fmt::format("    ldmatrix.sync.aligned.m8n8.{}{}.shared.b16 {}, {};\n", count,
                       rng_.coin() ? ".trans" : "", registers, place());
  }

  /// From the hostile address to shared memory, or from the buffer to a hostile place there.
  std::string copy() {
    static const std::vector<int> kBytes = {4, 8, 16};
    const bool to_shared = rng_.between(0, 1) == 0;
    const std::string shared = to_shared ? "[s]" : "[%r8]";
    return fmt::format("    cp.async.ca.shared.global {}, {}, {};\n    cp.async.commit_group;\n",
                       shared, to_shared ? place() : "[%rd0]", rng_.pick(kBytes));
  }

  testing::Rng rng_;
  bool wide_ = true;
  int stride_ = 4;
  std::string space_, body_;
};

}  // namespace warpledger::exec
