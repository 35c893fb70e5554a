// Random kernels whose warps touch shared memory with barriers here and there. Every line that
// touches it is an instruction of its own, so a race is a pair of PTX lines.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::race {

class RacyKernel {
 public:
  explicit RacyKernel(testing::Rng& rng) : rng_(rng) {
    body_ =
        ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %d<8>;\n.reg .b16 %h<4>;\n"
        ".shared .align 16 .b8 s[512];\n"
        "ld.param.u64 %d0, [p0];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
        "mov.u32 %r9, s;\nmov.u32 %r5, 1;\nmov.u64 %d5, 7;\nmov.u16 %h1, 3;\n"
        "shr.u32 %r8, %r0, 5;\n";
    const auto lines = rng.between(2, 4 + rng.size() / 6);
    for (int64_t i = 0; i < lines; ++i) add_line();
    // What the loads gave shows in global memory.
    body_ +=
        "mov.u32 %r7, %ntid.x;\nmad.lo.u32 %r6, %r1, %r7, %r0;\nmul.wide.u32 %d1, %r6, 4;\n"
        "add.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r5;\nret;\n";
  }
  /// Two blocks of two to four warps.
  static exec::Launch launch(testing::Rng& rng, exec::TestMachine& machine) {
    const auto threads = static_cast<uint32_t>(rng.between(33, 128));
    const uint64_t out = machine.put(std::vector<uint32_t>(2 * threads), "out");
    return {.kernel = "k",
            .grid = {2, 1, 1},
            .block = {threads, 1, 1},
            .params = exec::TestMachine::pack(out)};
  }
  [[nodiscard]] std::string text() const {
    return ".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n" +
           body_ + "}\n";
  }

 private:
  void add_line() {
    switch (rng_.between(0, 6)) {
      case 0:
        body_ += "bar.sync 0;\n";
        return;
      case 1:  // some warps only
        body_ += fmt::format("setp.{}.u32 %p1, %r8, {};\n", rng_.coin() ? "eq" : "ne",
                             rng_.between(0, 3));
        body_ += fmt::format("@%p1 bra L{};\n", labels_);
        for (int64_t i = rng_.between(1, 3); i > 0; --i) add_access();
        body_ += fmt::format("L{}:\n", labels_++);
        return;
      case 2: {  // a loop
        body_ += fmt::format("mov.u32 %r10, 0;\nL{}:\n", labels_);
        for (int64_t i = rng_.between(1, 2); i > 0; --i) add_access();
        if (rng_.coin()) body_ += "bar.sync 0;\n";
        body_ += fmt::format("add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, {};\n@%p2 bra L{};\n",
                             rng_.between(1, 4), labels_);
        ++labels_;
        return;
      }
      default:
        add_access();
    }
  }

  /// %r2 = s + ((tid * a + b) mod places) * width
  void add_address(int64_t width) {
    const int64_t places = int64_t{1} << rng_.between(0, 5);
    body_ += fmt::format("mad.lo.u32 %r2, %r0, {}, {};\nand.b32 %r2, %r2, {};\n",
                         rng_.between(0, 3), rng_.between(0, 40), places - 1);
    body_ += fmt::format("shl.b32 %r2, %r2, {};\nadd.u32 %r2, %r2, %r9;\n", width == 1   ? 0
                                                                            : width == 2 ? 1
                                                                            : width == 4 ? 2
                                                                                         : 3);
  }

  void add_access() {
    const int64_t width = int64_t{1} << rng_.between(0, 3);
    add_address(width);
    std::string guard;
    if (rng_.between(0, 3) == 0) {
      body_ += fmt::format("and.b32 %r3, %r0, {};\nsetp.eq.u32 %p3, %r3, 0;\n",
                           (int64_t{1} << rng_.between(0, 6)) - 1);
      guard = "@%p3 ";
    }
    const int64_t what = rng_.between(0, 8);
    const int64_t offset = width * rng_.between(0, 3);
    if (what == 0 && width == 4) {
      body_ += fmt::format("{}red.shared.add.u32 [%r2+{}], 3;\n", guard, offset);
    } else if (what < 5) {
      body_ += fmt::format("{}st.shared.{} [%r2+{}], {};\n", guard, type_of(width), offset,
                           width == 8  ? "%d5"
                           : width < 4 ? "%h1"
                                       : "%r5");
    } else {
      body_ += fmt::format("{}ld.shared.{} {}, [%r2+{}];\n", guard, type_of(width),
                           width == 8  ? "%d5"
                           : width < 4 ? "%h1"
                                       : "%r5",
                           offset);
    }
    body_ += "mad.lo.u32 %r5, %r5, 5, %r0;\ncvt.u16.u32 %h1, %r5;\n";
  }
  static const char* type_of(int64_t width) {
    return width == 1 ? "u8" : width == 2 ? "u16" : width == 4 ? "u32" : "u64";
  }

  testing::Rng& rng_;
  std::string body_;
  int labels_ = 0;
};

}  // namespace warpledger::race
