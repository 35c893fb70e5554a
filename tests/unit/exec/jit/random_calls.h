// Calls of the random kernels: values in registers, in pieces of a struct, in bytes that the other
// side reads otherwise than they were written.
#pragma once

#include <string>

#include "tests/unit/exec/jit/random_edges.h"

namespace warpledger::exec {

class KernelCalls : public KernelEdges {
 protected:
  using KernelEdges::KernelEdges;

  /// How a random function takes what it is given; the caller must pass it the same way.
  enum class Way { kWords, kPieces, kBytes };
  static Way way_of(int function) { return static_cast<Way>(function % 3); }

  static std::string signature(int function) {
    static const char* const kParams[] = {".param .b32 a, .param .b32 b, .param .f32 c",
                                          ".param .align 8 .b8 a[16]",
                                          ".param .align 16 .b8 a[16]"};
    static const char* const kResult[] = {".param .b32 r", ".param .align 8 .b8 r[8]",
                                          ".param .b64 r"};
    const auto way = static_cast<size_t>(way_of(function));
    return ".func (" + std::string(kResult[way]) + ") f" + std::to_string(function) + "(" +
           kParams[way] + ")";
  }

  /// The parameters as %r0, %r1, %f0.
  static std::string taken(int function) {
    switch (way_of(function)) {
      case Way::kWords:
        return "ld.param.u32 %r0, [a]; ld.param.u32 %r1, [b]; ld.param.f32 %f0, [c];";
      case Way::kPieces:
        return "ld.param.v2.u32 {%r0, %r1}, [a]; ld.param.f32 %f0, [a+8];";
      default:  // written as a word of 64 bits, read as halves
        return "ld.param.u32 %r0, [a]; ld.param.u32 %r1, [a+4]; ld.param.f32 %f0, [a+8];";
    }
  }
  /// %r2 and %f0 as the result.
  static std::string given(int function) {
    switch (way_of(function)) {
      case Way::kWords:
        return "st.param.b32 [r], %r2;";
      case Way::kPieces:
        return "st.param.b32 [r], %r2; st.param.f32 [r+4], %f0;";
      default:
        return "cvt.u64.u32 %rd2, %r2; st.param.b64 [r], %rd2;";
    }
  }

  void call(int function) {
    const std::string a = integer(), b = source(), c = real(), to = integer();
    const std::string name = "f" + std::to_string(function);
    switch (way_of(function)) {
      case Way::kWords:
        return line(
            "{ .param .b32 x; .param .b32 y; .param .f32 z; .param .b32 w; st.param.b32 "
            "[x], " +
            a + "; st.param.b32 [y], " + b + "; st.param.f32 [z], " + c + "; call.uni (w), " +
            name + ", (x, y, z); ld.param.b32 " + to + ", [w]; }");
      case Way::kPieces:
        return line(
            "{ .param .align 8 .b8 x[16]; .param .align 8 .b8 w[8]; st.param.v2.b32 [x], {" + a +
            ", " + integer() + "}; st.param.f32 [x+8], " + c + "; call (w), " + name +
            ", (x); ld.param.v2.b32 {" + to + ", %r31}, [w]; mov.b32 " + real() + ", %r31; }");
      default:
        return line("{ .param .align 16 .b8 x[16]; .param .b64 w; mov.b64 %rd2, {" + a + ", " +
                    integer() + "}; st.param.b64 [x], %rd2; st.param.f32 [x+8], " + c +
                    "; call.uni (w), " + name + ", (x); ld.param.b32 " + to + ", [w]; }");
    }
  }
};

}  // namespace warpledger::exec
