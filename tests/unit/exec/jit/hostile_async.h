// Kernels that are written to escape through what Hopper and Blackwell added: bulk copies, tensor
// maps, mbarriers, peers' shared memory, matrix descriptors and tensor memory. Addresses, sizes,
// ranks and coordinates are parameters, the tensor map is 128 bytes of memory that anybody wrote.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"

namespace warpledger::exec {

class HostileAsyncKernel {
 public:
  static constexpr int kParams = 7;

  explicit HostileAsyncKernel(uint64_t seed) : rng_(seed, 20) {
    tensor_core_ = rng_.between(0, 3) == 0;
    cluster_ = !tensor_core_ && rng_.coin() ? 2 : 1;
    const int accesses = static_cast<int>(rng_.between(1, 3));
    for (int i = 0; i < accesses; ++i) {
      const std::string one = rng_.pick(tensor_core_ ? blackwell() : hopper());
      body_ += "    " + spelled(one) + ";\n";
      body_ += "    " + spelled(ends_of(one)) + "\n";
    }
  }
  [[nodiscard]] uint32_t cluster() const { return cluster_; }

  /// p0: a buffer, p1: added to it and to shared addresses, p2: to each next one, p3: how many
  /// turns, p4: a tensor map, p5: a size or the one descriptor, p6: a rank, a coordinate or the
  /// other descriptor.
  [[nodiscard]] std::string text() const {
    return kernel_text(fmt::format(R"(
    .shared .align 1024 .b8 s[2048]; .shared .align 8 .b64 bar;
    .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<4>; .reg .f32 %f<8>;
    ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2]; ld.param.u64 %rd3, [p3];
    ld.param.u64 %rd4, [p4]; ld.param.u64 %rd5, [p5]; ld.param.u64 %rd6, [p6];
    cvt.u32.u64 %r5, %rd5; cvt.u32.u64 %r6, %rd6; cvt.u32.u64 %r7, %rd1;
    mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;
    cvt.u64.u32 %rd7, %r1; add.u64 %rd8, %rd0, %rd1; add.u64 %rd9, %rd7, %rd1; add.u32 %r8, %r1, %r7;
    cvt.u32.u64 %r9, %rd2; mov.u64 %rd10, 0;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
    bar.sync 0;
{}next:
{}    add.u64 %rd8, %rd8, %rd2; add.u64 %rd9, %rd9, %rd2; add.u32 %r8, %r8, %r9; add.u32 %r7, %r7, %r9;
    add.u64 %rd10, %rd10, 1; setp.lt.u64 %p0, %rd10, %rd3;
@%p0 bra next;
{}    ret;)",
                                   begin(), body_, end()),
                       kParams, tensor_core_ ? "sm_100a" : "sm_90a", "8.6");
  }

 private:
  // {g} hostile in global memory, {s} in shared memory, {c} in the cluster's; {t} of tensor memory;
  // {n} coordinates, {d} their number; {k} a constant.
  static const std::vector<std::string>& hopper() {
    static const std::vector<std::string> all = {
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [{g}], %r5, "
        "[%r2]",
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{s}], [%rd0], "
        "%r5, [%r2]",
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 16, "
        "[{s}]",
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[{s}], [%rd0], 64, [%r2], %h0",
        "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{c}], [{s}], "
        "%r5, [%r2]",
        "@%p1 cp.async.bulk.global.shared::cta.bulk_group [{g}], [%r1], %r5",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [{s}], %r5",
        "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [{g}], [{s}], %r5",
        "@%p1 "
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
        "[{c}], [{s}], %r5, [%r2]",
        "@%p1 cp.async.bulk.tensor.{d}d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], "
        "[%rd4, {{{n}}}], [%r2]",
        "@%p1 cp.async.bulk.tensor.{d}d.shared::cluster.global.mbarrier::complete_tx::bytes [{s}], "
        "[%rd4, {{{n}}}], [%r2]",
        "@%p1 cp.async.bulk.tensor.{d}d.shared::cluster.global.mbarrier::complete_tx::bytes [{c}], "
        "[{g}, {{{n}}}], [{s}]",
        "@%p1 cp.async.bulk.tensor.{d}d.global.shared::cta.bulk_group [%rd4, {{{n}}}], [%r1]",
        "@%p1 cp.async.bulk.tensor.{d}d.global.shared::cta.bulk_group [%rd4, {{{n}}}], [{s}]",
        "@%p1 cp.reduce.async.bulk.tensor.{d}d.global.shared::cta.add.tile.bulk_group [%rd4, "
        "{{{n}}}], [%r1]",
        "@%p1 tensormap.replace.tile.box_dim.global.b1024.b32 [%rd4], {k}, %r6",
        "@%p1 tensormap.replace.tile.global_address.global.b1024.b64 [{g}], %rd1",
        "@%p1 tensormap.replace.tile.global_stride.global.b1024.b64 [%rd4], {k}, %rd6",
        "mapa.shared::cluster.u32 %r10, %r1, %r6",
        "st.shared::cluster.u32 [{c}], %r0",
        "ld.shared::cluster.v4.u32 {{%r12, %r13, %r14, %r15}}, [{c}]",
        "atom.shared::cluster.add.u32 %r12, [{c}], %r0",
        "atom.shared::cluster.cas.b64 %rd12, [{c}], %rd1, %rd2",
        "@%p1 mbarrier.init.shared::cta.b64 [{s}], 3",
        "@%p1 mbarrier.arrive.shared::cta.b64 %rd12, [{s}]",
        "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{s}], %r5",
        "mbarrier.test_wait.parity.shared::cta.b64 %p2, [{s}], 0",
        "mbarrier.inval.shared::cta.b64 [{s}]",
        "cp.async.ca.shared.global [{s}], [%rd0], 16",
        "cp.async.ca.shared.global [{c}], [{g}], 8",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [{s}], {{%r0}}",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd5, %rd6, 1, "
        "1, 1, 0, 0"};
    return all;
  }
  static const std::vector<std::string>& blackwell() {
    static const std::vector<std::string> all = {
        "tcgen05.ld.sync.aligned.32x32b.x4.b32 {{%r12, %r13, %r14, %r15}}, [{t}]",
        "tcgen05.ld.sync.aligned.16x64b.x4.b32 {{%r12, %r13, %r14, %r15}}, [{t}]",
        "tcgen05.ld.sync.aligned.16x256b.x1.b32 {{%r12, %r13, %r14, %r15}}, [{t}]",
        "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {{%r12, %r13}}, [{t}], {k}",
        "tcgen05.st.sync.aligned.32x32b.x4.b32 [{t}], {{%r12, %r13, %r14, %r15}}",
        "tcgen05.st.sync.aligned.16x128b.x2.b32 [{t}], {{%r12, %r13, %r14, %r15}}",
        "tcgen05.st.sync.aligned.16x32bx2.x2.b32 [{t}], {k}, {{%r12, %r13}}",
        "@%p1 tcgen05.cp.cta_group::1.128x256b [{t}], %rd5",
        "@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [{t}], %rd5",
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [{t}], %rd5, %rd6, %r5, %p1",
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [{t}], [{t}], %rd6, %r5, %p1",
        "@%p1 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [{t}], %rd5, %rd6, %r5, [{t}], "
        "[%r7], %p1",
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 {t}, 64"};
    return all;
  }

  /// What is waited for after it, so that it happens.
  [[nodiscard]] static std::string ends_of(const std::string& access) {
    if (access.find(".bulk_group") != std::string::npos)
      return "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    if (access.find("complete_tx") != std::string::npos)
      return "@%p1 mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r2], 0;";
    if (access.find("cp.async.ca") != std::string::npos) return "cp.async.wait_all;";
    if (access.find("wgmma") != std::string::npos)
      return "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    if (access.find("tcgen05.cp") != std::string::npos ||
        access.find("tcgen05.mma") != std::string::npos)
      return "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];\n"
             "    @%p1 mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r2], 0;";
    return "";
  }

  std::string spelled(const std::string& access) {
    const bool wide = rng_.coin();
    const auto dimensions = rng_.between(1, 5);
    std::string corner = "%r6";
    for (int64_t i = 1; i < dimensions; ++i) corner += rng_.coin() ? ", %r0" : ", %r6";
    static const std::vector<int64_t> kConstants = {0, 1, 3, 4, 16, 511, 2147483647, 4294967295};
    const std::string shared = wide ? "%rd9" : "%r8";
    return fmt::format(fmt::runtime(access), fmt::arg("g", "%rd8"), fmt::arg("s", shared),
                       fmt::arg("c", rng_.coin() ? shared : "%r10"),
                       fmt::arg("t", rng_.coin() ? "%r7" : "%r11"), fmt::arg("n", corner),
                       fmt::arg("d", dimensions), fmt::arg("k", rng_.pick(kConstants)));
  }

  [[nodiscard]] std::string begin() const {
    std::string text = "    .reg .b16 %h0; cvt.u16.u32 %h0, %r6; mov.u32 %r10, %r8;\n";
    if (cluster_ > 1)
      text +=
          "    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
          "    mapa.shared::cluster.u32 %r10, %r8, 1;\n";
    if (tensor_core_)
      text +=
          "    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;\n"
          "    ld.shared.u32 %r11, [%r1];\n";
    return text;
  }
  [[nodiscard]] std::string end() const {
    return cluster_ > 1 ? "    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
                        : "";
  }

  testing::Rng rng_;
  bool tensor_core_ = false;  // Blackwell's
  uint32_t cluster_ = 1;
  std::string body_;
};

}  // namespace warpledger::exec
