// Random valid modules from a fuzzer's bytes: straight lines, diamonds and counted loops over a
// list of instructions, some of which may leave their buffers.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "warpledger/ptx/parser.h"

namespace warpledger::fuzz {

/// The input as a stream of choices; zeros at its end.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint32_t below(uint32_t n) { return byte() % n; }
  uint32_t word() { return byte() | byte() << 8 | byte() << 16 | byte() << 24; }
  [[nodiscard]] bool empty() const { return at_ >= size_; }

 private:
  uint32_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

inline constexpr const char* kTemplates[] = {
    "add.s32 {d}, {a}, {b};",
    "sub.u32 {d}, {a}, {b};",
    "mul.lo.s32 {d}, {a}, {b};",
    "mul.hi.u32 {d}, {a}, {b};",
    "mad.lo.s32 {d}, {a}, {b}, {c};",
    "div.u32 {d}, {a}, {b};",
    "rem.s32 {d}, {a}, {b};",
    "shl.b32 {d}, {a}, {b};",
    "shr.s32 {d}, {a}, {b};",
    "bfe.s32 {d}, {a}, {b}, {c};",
    "bfi.b32 {d}, {a}, {b}, {c}, {a};",
    "prmt.b32 {d}, {a}, {b}, {c};",
    "lop3.b32 {d}, {a}, {b}, {c}, 0x6a;",
    "popc.b32 {d}, {a};",
    "clz.b32 {d}, {a};",
    "brev.b32 {d}, {a};",
    "dp4a.s32.u32 {d}, {a}, {b}, {c};",
    "shf.l.wrap.b32 {d}, {a}, {b}, {c};",
    "min.s32 {d}, {a}, {b};",
    "vabsdiff4.u32.u32.u32.add {d}, {a}, {b}, {c};",
    "add.rz.ftz.f32 {d}, {a}, {b};",
    "mul.rp.f32 {d}, {a}, {b};",
    "fma.rn.sat.f32 {d}, {a}, {b}, {c};",
    "div.full.f32 {d}, {a}, {b};",
    "sqrt.rm.f32 {d}, {a};",
    "ex2.approx.ftz.f32 {d}, {a};",
    "sin.approx.f32 {d}, {a};",
    "lg2.approx.f32 {d}, {a};",
    "tanh.approx.f32 {d}, {a};",
    "fma.rn.relu.f16x2 {d}, {a}, {b}, {c};",
    "max.NaN.bf16x2 {d}, {a}, {b};",
    "cvt.rzi.s32.f32 {d}, {a};",
    "cvt.rn.f32.u32 {d}, {a};",
    "cvt.rn.bf16x2.f32 {d}, {a}, {b};",
    "setp.lt.s32 {p}, {a}, {b};",
    "setp.geu.f32 {p}, {a}, {b};",
    "selp.b32 {d}, {a}, {b}, {p};",
    "@{p} add.u32 {d}, {a}, 1;",
    "and.b32 {d}, {a}, 0x3fc; cvt.u64.u32 %rd2, {d}; add.s64 %rd3, %rd0, %rd2; ld.global.u32 {d}, "
    "[%rd3];",
    "and.b32 {d}, {a}, 0x3fc; cvt.u64.u32 %rd2, {d}; add.s64 %rd3, %rd0, %rd2; st.global.u32 "
    "[%rd3], {b};",
    "and.b32 {d}, {a}, 0xfc; ld.shared.u32 {d}, [{d}];",
    "and.b32 {d}, {a}, 0xfc; st.shared.u32 [{d}], {b};",
    "and.b32 {d}, {a}, 0xfc; atom.shared.add.u32 {d}, [{d}], {b};",
    "atom.global.max.s32 {d}, [%rd0+64], {a};",
    "red.global.xor.b32 [%rd0+68], {a};",
    "ld.global.u32 {d}, [%rd0+4096];",
    "and.b32 {d}, {a}, 0xff; st.shared.u16 [{d}], %h0;",
    "mov.u32 {d}, %laneid;",
    "mov.u32 {d}, %clock;",
    "activemask.b32 {d};",
    "shfl.sync.bfly.b32 {d}, {a}, {b}, 31, 0xffffffff;",
    "vote.sync.ballot.b32 {d}, {p}, 0xffffffff;",
    "match.any.sync.b32 {d}, {a}, 0xffffffff;",
    "redux.sync.add.s32 {d}, {a}, 0xffffffff;",
    "bar.sync 0;",
    "bar.red.popc.u32 {d}, 1, {p};",
    "bar.sync 3, 32;",
    "bar.warp.sync 0xffffffff;",
    "@{p} ret;",
    "@{p} exit;",
    "@!{p} bra END;",
    "call ({d}), helper, ({a}, {b});",
    "and.b32 {d}, {a}, 0xf0; cp.async.ca.shared.global [{d}], [%rd0], 16; cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "nanosleep.u32 {a};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{a},{b},{c},{d}}}, {{{a},{b},{c},{d}}}, "
    "{{{a},{b}}}, {{{a},{b},{c},{d}}};",
    "and.b32 {d}, {a}, 0x70; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{{d}}}, [{d}];",
    "mov.b32 {{%h0, %h1}}, {a}; mov.b32 {d}, {{%h1, %h0}};",
    "vadd.s32.u32.s32.sat {d}.b1, {a}.b3, {b}.h0, {c};",
    "vmad.s32.s32.s32.sat.shr7 {d}, -{a}.h1, {b}.b0, {c};",
    "vmax4.s32.u32.s32 {d}.b310, {a}.b0123, {b}.b7531, {c};",
    "vabsdiff2.u32.s32.u32.add {d}.h1, {a}.h01, {b}.h32, {c};",
    "vshl.u32.s32.u32.sat.clamp {d}, {a}, {b}, {c};",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {{{a},{b},{c},{d}}}, {{{a},{b},{c},{d}}}, "
    "{{{a},{b}}}, {{{a},{b},{c},{d}}};",
    "atom.global.cas.b128 %q0, [%rd0+80], %q0, %q1;",
    // Addresses that are not made to fit.
    "cvt.s64.s32 %rd2, {a}; add.s64 %rd3, %rd0, %rd2; ld.global.u32 {d}, [%rd3];",
    "cvt.s64.s32 %rd2, {a}; add.s64 %rd3, %rd0, %rd2; st.global.u8 [%rd3], {b};",
    "and.b32 {d}, {a}, 0x7fc; cvt.u64.u32 %rd2, {d}; add.s64 %rd3, %rd0, %rd2; st.global.u32 "
    "[%rd3], {b};",
    "and.b32 {d}, {a}, 0x7f0; cvt.u64.u32 %rd2, {d}; add.s64 %rd3, %rd0, %rd2; st.global.v4.u32 "
    "[%rd3], {{{a},{b},{c},{d}}};",
    "and.b32 {d}, {a}, 0x1fc; st.shared.u32 [{d}], {b};",
    "and.b32 {d}, {a}, 0xf8; st.shared.v2.u32 [{d}+8], {{{a},{b}}};",
    "ld.shared.u32 {d}, [{a}];",
    "mul.wide.u32 %rd4, %r17, 4; add.s64 %rd5, %rd0, %rd4; st.global.u32 [%rd5], {a};",
    "mul.wide.u32 %rd4, %r17, 16; add.s64 %rd5, %rd0, %rd4; ld.global.v4.u32 {{{a},{b},{c},{d}}}, "
    "[%rd5];",
    "add.s64 %rd5, %rd5, 128; st.global.u32 [%rd5], {a};",
    "cvta.shared.u64 %rd6, 16; st.u32 [%rd6], {a};",
    "atom.global.add.u32 {d}, [%rd5], {b};",
};

/// What a module may hold.
struct ModuleOptions {
  bool calls = true;          // of device functions
  bool clock = true;          // readings of %clock
  size_t most_text = 60'000;  // bytes of PTX, about
};

inline std::string instruction(Choices& choices, const ModuleOptions& options) {
  const auto reg = [&] { return fmt::format("%r{}", choices.below(8)); };
  const std::string_view chosen = kTemplates[choices.below(std::size(kTemplates))];
  if (!options.calls && chosen.starts_with("call")) return {};
  if (!options.clock && chosen.find("%clock") != chosen.npos) return {};
  std::string text = fmt::format(fmt::runtime(chosen), fmt::arg("d", reg()), fmt::arg("a", reg()),
                                 fmt::arg("b", reg()), fmt::arg("c", reg()),
                                 fmt::arg("p", fmt::format("%p{}", choices.below(4))));
  return text + "\n";
}

/// Straight lines, diamonds and counted loops, nested a little.
inline std::string block(Choices& choices, const ModuleOptions& options, int depth, int& label) {
  std::string text;
  for (uint32_t n = 1 + choices.below(6); n > 0; --n) {
    const uint32_t kind = depth < 3 ? choices.below(6) : 0;
    const int here = label++;
    if (kind == 4) {
      text += fmt::format("@%p{} bra E{};\n{}bra J{};\nE{}:\n{}J{}:\n", choices.below(4), here,
                          block(choices, options, depth + 1, label), here, here,
                          block(choices, options, depth + 1, label), here);
    } else if (kind == 5) {
      text += fmt::format(
          "mov.u32 %r{0}, 0;\nL{1}:\n{2}add.u32 %r{0}, %r{0}, 1;\nand.b32 %r19, %r17, "
          "7;\nsetp.le.u32 %p4, %r{0}, %r19;\n@%p4 bra L{1};\n",
          8 + depth, here, block(choices, options, depth + 1, label));
    } else {
      text += instruction(choices, options);
    }
  }
  return text;
}

inline std::string module_of(Choices& choices, const ModuleOptions& options = {}) {
  std::string text = R"(.version 8.6
.target sm_90
.address_size 64
.func (.reg .b32 d) helper(.reg .b32 a, .reg .b32 b) { .reg .b32 %r<4>; .local .align 4 .b8 box[8]; st.local.u32 [box+4], a; ld.local.u32 %r0, [box+4]; xor.b32 d, %r0, b; ret; }
.visible .entry k(.param .u64 p0)
{
.reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %rd<8>; .reg .b128 %q<2>; .shared .align 16 .b8 tile[256];
ld.param.u64 %rd0, [p0]; mov.u32 %r17, %tid.x; mov.b16 %h0, 7; mov.b128 %q0, {%rd0, %rd0}; mov.b128 %q1, %q0; mov.u64 %rd5, %rd0;
)";
  for (int i = 0; i < 8; ++i)
    text += fmt::format("mad.lo.u32 %r{}, %r17, {}, {};\n", i, choices.below(200), choices.word());
  for (int i = 0; i < 4; ++i)
    text += fmt::format("setp.gt.u32 %p{}, %r17, {};\n", i, choices.below(70));
  int label = 0;
  while (!choices.empty() && text.size() < options.most_text)
    text += block(choices, options, 0, label);
  return text + "END:\nst.global.u32 [%rd0+128], %r1;\nret;\n}\n";
}

/// A finding: what is wrong, behind the module that shows it.
[[noreturn]] inline void fail(const std::string& what, const std::string& text) {
  std::fputs((text + what + "\n").c_str(), stderr);
  std::abort();
}

/// Every module made here is valid.
inline ptx::Module parsed(const std::string& text) {
  auto module = ptx::parse("fuzz.ptx", text);
  if (!module) fail(to_text(module.error()), text);
  return *std::move(module);
}

}  // namespace warpledger::fuzz
