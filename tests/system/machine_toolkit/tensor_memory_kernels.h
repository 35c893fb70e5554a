// Kernels with tensor memory as machine code of sm_100a.
#pragma once

#include "tests/system/machine_toolkit/async_kernels.h"

namespace warpledger::exec {

/// "{v0, v1}": count registers.
inline std::string registers(const std::string& name, uint32_t count, uint32_t first = 0) {
  std::string text = "{";
  for (uint32_t i = first; i < first + count; ++i)
    text += (i == first ? "" : ", ") + name + std::to_string(i);
  return text + "}";
}

/// Registers to the next words of `out`, a row of each for all threads.
inline std::string write_out(const std::string& name, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text +=
        "st.global.b32 [out+" + std::to_string(512 * i) + "], " + name + std::to_string(i) + ";\n";
  return text + "add.u64 out, out, " + std::to_string(512 * count) + ";\n";
}

/// Each thread's words of `in`, 128 threads a row.
inline std::string read_in(const std::string& name, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text +=
        "ld.global.b32 " + name + std::to_string(i) + ", [in+" + std::to_string(512 * i) + "];\n";
  return text;
}

/// A kernel of 128 threads with 512 columns of tensor memory from `base` on, of which `w` is the
/// warp's window; `tile`, 40 KB at shared `a`, holds words of `in`; two mbarriers at `b` expect an
/// arrival each; `first` is true in thread 0. `group`: 1, or 2 for a pair of blocks.
inline std::string tensor_kernel(const std::string& body, int group = 1) {
  const std::string of = "tcgen05.", kind = ".cta_group::" + std::to_string(group);
  const std::string sync =
      group == 2 ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "";
  return kernel_text(
      R"(
  .shared .align 1024 .b8 tile[40960];
  .shared .align 8 .b64 bar[2];
  .shared .align 4 .b32 place;
  .reg .pred p, q, first, lead; .reg .b32 t, a, b, i, r, base, w, mine, c, d, f, v<128>, u<128>;
  .reg .b64 in, out, x, y, z; .reg .b16 both;
  mov.u32 t, %tid.x;
  mov.u32 r, %cluster_ctarank;
  mov.u32 a, tile;
  mov.u32 b, bar;
  mov.u32 mine, place;
  mov.b16 both, 3;
  setp.eq.u32 first, t, 0;
  setp.lt.u32 lead, t, 32;
  ld.param.u64 in, [p0];
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 4;
  add.u64 in, in, x;
  add.u64 out, out, x;
  mul.wide.u32 x, r, 40960;
  add.u64 in, in, x;
  mul.wide.u32 x, r, 131072;
  add.u64 out, out, x;
  shl.b32 c, t, 2;
  add.u32 c, a, c;
  mov.u32 i, 0;
COPY:
  ld.global.b32 d, [in];
  st.shared.b32 [c], d;
  add.u64 in, in, 512;
  add.u32 c, c, 512;
  add.u32 i, i, 1;
  setp.lt.u32 q, i, 80;
  @q bra COPY;
  sub.u64 in, in, 40960;
  @first mbarrier.init.shared::cta.b64 [b], 1;
  @first mbarrier.init.shared::cta.b64 [b+8], 1;
  fence.proxy.async;
  @lead )" +
          of + "alloc" + kind + R"(.sync.aligned.shared::cta.b32 [mine], 512;
  @lead )" +
          of + "relinquish_alloc_permit" + kind + R"(.sync.aligned;
  bar.sync 0;
)" + sync +
          R"(
  ld.shared.b32 base, [mine];
  shr.u32 w, t, 5;
  shl.b32 w, w, 21;
  add.u32 w, w, base;
  shr.u32 d, a, 4;
  cvt.u64.u32 x, d;
  or.b64 x, x, 0x4000404000010000;
  add.u64 y, x, 1024;
)" + body +
          sync + R"(
  bar.sync 0;
  @lead )" +
          of + "dealloc" + kind + R"(.sync.aligned.b32 base, 512;
)" + sync +
          "ret;",
      2, "sm_100a", "9.0");
}

/// A commit of the first thread's work to one of the two mbarriers, and a wait for it.
inline std::string commit_and_wait(int parity = 0, int number = 0) {
  const std::string label = "C" + std::to_string(2 * number + parity);
  const std::string at = " [b+" + std::to_string(8 * number) + "]";
  return "@first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64" + at +
         ";\n" + label + ": mbarrier.try_wait.parity.shared::cta.b64 q," + at + ", " +
         std::to_string(parity) + ";\n@!q bra " + label + ";\ntcgen05.fence::after_thread_sync;\n";
}

/// Cells from `column` on of the warp's window to `out`.
inline std::string show_cells(uint32_t column, uint32_t count) {
  return "tcgen05.ld.sync.aligned.32x32b.x" + std::to_string(count) + ".b32 " +
         registers("u", count) + ", [w+" + std::to_string(column) +
         "];\ntcgen05.wait::ld.sync.aligned;\nbar.sync 0;\n" + write_out("u", count);
}

/// Cells from `column` on become words of `in`, from row `row` on.
inline std::string fill_cells(uint32_t column, uint32_t count, uint32_t row = 0) {
  return "add.u64 in, in, " + std::to_string(512 * row) + ";\n" + read_in("u", count) +
         "sub.u64 in, in, " + std::to_string(512 * row) + ";\ntcgen05.st.sync.aligned.32x32b.x" +
         std::to_string(count) + ".b32 [w+" + std::to_string(column) + "], " +
         registers("u", count) + ";\ntcgen05.wait::st.sync.aligned;\nbar.sync 0;\n";
}

constexpr size_t kTensorWords = 70'000;

inline void expect_tensor_equal(const std::string& body) {
  expect_equal(tensor_kernel(body), {.block = {128, 1, 1}}, kTensorWords, kBlackwell);
}

}  // namespace warpledger::exec
