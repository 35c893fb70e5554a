// Random kernels for sm_90 whose warps wait for copies: mbarriers, bulk copies both ways, wgmma,
// producers of their own, stages that are used again. Some lack a wait, announce wrong numbers of
// bytes or use a stage too early.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"

namespace warpledger::exec {

class RandomAsync {
 public:
  static constexpr uint32_t kStageBytes = 4096, kMostTurns = 6, kWordsPerThread = 24;
  static constexpr uint32_t kCtaBytes = kStageBytes * kMostTurns;

  explicit RandomAsync(uint64_t seed) : rng_(seed * 104729 + 7, 10) {
    stages_ = number(1, 3);
    turns_ = number(1, kMostTurns);
    n_ = 8u << number(0, 2);
    groups_ = number(1, 2);
    has_producer_ = rng_.coin();
    lone_producer_ = rng_.coin();
    multiplies_ = number(0, 3) != 0;
    loads_ = !multiplies_ || rng_.coin();
    arrives_by_warp_ = rng_.coin();
    by_barrier_ = !has_producer_ && rng_.coin();
    two_copies_ = rng_.coin();
    stores_in_bulk_ = rng_.coin();
    // Who leaves a product in flight must not let its stage be refilled: a race otherwise, and what
    // comes of it the scheduler's.
    defers_ = multiplies_ && turns_ <= stages_;
    wait_ = rng_.coin() ? "try_wait" : "test_wait";
    fault_ = number(0, 5) == 0 ? static_cast<Fault>(number(1, 5)) : Fault::kNone;
    if (by_barrier_ && fault_ == Fault::kNoRelease) fault_ = Fault::kNone;
    write();
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] uint32_t threads() const { return consumers() + (has_producer_ ? 32 : 0); }
  [[nodiscard]] uint32_t consumers() const { return 128 * groups_; }

 private:
  enum class Fault { kNone, kNoWait, kTooFewBytes, kTooManyBytes, kNoWgmmaWait, kNoRelease };

  uint32_t number(int64_t low, int64_t high) {
    return static_cast<uint32_t>(rng_.between(low, high));
  }
  [[nodiscard]] uint32_t bytes() const { return 2048 + 32 * n_; }
  [[nodiscard]] uint32_t arrivals() const {
    return arrives_by_warp_ ? consumers() / 32 : consumers();
  }

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    body_ += fmt::format(format, std::forward<T>(values)...) + "\n";
  }

  void wait(const char* object, const char* parity) {
    const uint32_t label = labels_++;
    line("W{}: mbarrier.{}.parity.shared::cta.b64 q, [{}], {};", label, wait_, object, parity);
    line("@!q bra W{};", label);
  }

  // Stage `s` of turn `i`: tile, full and empty of it.
  void place() {
    line("mad.lo.u32 a, s, {}, tiles;", kStageBytes);
    line("mad.lo.u32 f, s, 8, fulls;");
    line("mad.lo.u32 e, s, 8, empties;");
  }
  void next_stage(const char* s, const char* phase) {
    line("add.u32 {0}, {0}, 1;", s);
    line("setp.eq.u32 w, {}, {};", s, stages_);
    line("@w mov.u32 {}, 0;", s);
    line("@w xor.b32 {0}, {0}, 1;", phase);
  }

  // Under the predicate `me`: announces and copies turn `i` into the stage at `a`.
  void copy_in(const char* turn) {
    uint32_t announced = bytes();
    if (fault_ == Fault::kTooFewBytes) announced -= 16;
    if (fault_ == Fault::kTooManyBytes) announced += 16;
    line("mul.wide.u32 off, {}, {};", turn, kStageBytes);
    line("add.u64 src, from, off;");
    line("@me mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], {};", announced);
    const uint32_t first = two_copies_ ? 2048 : bytes();
    const char* copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    line("@me {} [a], [src], {}, [f];", copy, first);
    if (!two_copies_) return;
    line("add.u64 src, src, 2048;\nadd.u32 b, a, 2048;");
    line("@me {} [b], [src], {}, [f];", copy, bytes() - first);
  }

  [[nodiscard]] std::string accumulators() const {
    std::string list = "{";
    for (uint32_t i = 0; i < n_ / 2; ++i) list += fmt::format("{}d{}", i == 0 ? "" : ", ", i);
    return list + "}";
  }

  void multiply() {
    const SharedDescriptor shape{
        .leading_offset = 128, .stride_offset = 256, .mode = SharedMode::kNone};
    const uint64_t bits = *encode(shape, DescriptorKind::kWgmma);
    line("shr.u32 b, a, 4;\ncvt.u64.u32 x, b;\nadd.u64 x, x, {};\nadd.u64 y, x, 128;", bits);
    line("wgmma.fence.sync.aligned;");
    line("wgmma.mma_async.sync.aligned.m64n{}k16.f32.f16.f16 {}, x, y, 1, 1, 1, 0, 0;", n_,
         accumulators());
    line("wgmma.commit_group.sync.aligned;");
    const bool left_out = fault_ == Fault::kNoWgmmaWait;
    if (!left_out) line("wgmma.wait_group.sync.aligned {};", defers_ ? 1 : 0);
    if (defers_) return;
    for (uint32_t i = number(0, 3); i > 0; --i) {
      static const std::vector<std::string> kOps = {"add.f32", "mul.f32", "max.f32"};
      line("{} d{}, d{}, d{};", rng_.pick(kOps), number(0, n_ / 2 - 1), number(0, n_ / 2 - 1),
           number(0, n_ / 2 - 1));
    }
  }

  void load() {
    line("and.b32 v, t, 511;\nmad.lo.u32 b, v, 4, a;\nld.shared.b32 v, [b];");
    static const std::vector<std::string> kOps = {"add.u32", "xor.b32", "mul.lo.u32"};
    line("{} sum, sum, v;\nadd.u32 sum, sum, t;", rng_.pick(kOps));
  }

  void release() {
    if (fault_ == Fault::kNoRelease) return;
    if (by_barrier_) return line("bar.sync 0;");
    if (!arrives_by_warp_) return line("mbarrier.arrive.shared::cta.b64 _, [e];");
    line("bar.warp.sync -1;\n@leader mbarrier.arrive.shared::cta.b64 _, [e];");
  }

  // The first thread refills the stage that all have left.
  void refill() {
    line("add.u32 j, i, {};\nsetp.lt.u32 me, j, {};\nand.pred me, me, first;", stages_, turns_);
    if (!by_barrier_) {
      const uint32_t label = labels_++;
      line("@!me bra N{};", label);
      wait("e", "ph");
      line("N{}:", label);
    }
    copy_in("j");
  }

  void consume() {
    line("mov.u32 i, 0;\nmov.u32 s, 0;\nmov.u32 ph, 0;\nLOOP:");
    place();
    if (fault_ != Fault::kNoWait) wait("f", "ph");
    if (loads_) load();
    if (multiplies_) multiply();
    release();
    if (!has_producer_) refill();
    next_stage("s", "ph");
    line("add.u32 i, i, 1;\nsetp.lt.u32 w, i, {};\n@w bra LOOP;", turns_);
    if (defers_) line("wgmma.wait_group.sync.aligned 0;");
  }

  void produce() {
    line("PRODUCER:");
    line("setp.eq.u32 me, t, {};", consumers());
    if (lone_producer_) line("@!me bra END;");
    line("mov.u32 i, 0;\nmov.u32 s, 0;\nmov.u32 ph, 1;\nFEED:");
    place();
    line("setp.lt.u32 w, i, {};\n@w bra FRESH;", stages_);
    wait("e", "ph");
    line("FRESH:");
    copy_in("i");
    next_stage("s", "ph");
    line("add.u32 i, i, 1;\nsetp.lt.u32 w, i, {};\n@w bra FEED;", turns_);
    line("bra END;");
  }

  void write_out() {
    line("mad.lo.u32 v, c, {}, t;\nmul.wide.u32 off, v, {};\nadd.u64 to, to, off;", threads(),
         4 * kWordsPerThread);
    if (multiplies_)
      for (uint32_t i = 0; i < n_ / 2; ++i) line("st.global.f32 [to+{}], d{};", 4 * i, i);
    line("st.global.u32 [to+{}], sum;", 4 * (kWordsPerThread - 1));
    if (!stores_in_bulk_) return;
    line("mad.lo.u32 b, t, 4, outs;\nadd.u32 sum, sum, 1;\nst.shared.u32 [b], sum;");
    line("fence.proxy.async.shared::cta;\nbar.sync 1, {};", consumers());
    line("mul.wide.u32 off, c, {};\nadd.u64 bulk, bulk, off;", 4 * consumers());
    line("@first cp.async.bulk.global.shared::cta.bulk_group [bulk], [outs], {};", 4 * consumers());
    line("@first cp.async.bulk.commit_group;");
    if (rng_.coin()) line("@first cp.async.bulk.wait_group.read 0;");
  }

  void write() {
    line("mov.u32 t, %tid.x;\nmov.u32 c, %ctaid.x;\nsetp.eq.u32 first, t, 0;");
    line("and.b32 v, t, 31;\nsetp.eq.u32 leader, v, 0;\nmov.u32 sum, t;");
    line("ld.param.u64 from, [p0];\nld.param.u64 to, [p1];\nld.param.u64 bulk, [p2];");
    line("mul.wide.u32 off, c, {};\nadd.u64 from, from, off;", kCtaBytes);
    line(
        "mov.u32 tiles, tile;\nmov.u32 fulls, full;\nmov.u32 empties, empty;\nmov.u32 outs, "
        "staged;");
    for (uint32_t i = 0; i < n_ / 2; ++i) line("mov.f32 d{}, 0f00000000;", i);
    for (uint32_t i = 0; i < stages_; ++i) {
      line("@first mbarrier.init.shared::cta.b64 [fulls+{}], 1;", 8 * i);
      line("@first mbarrier.init.shared::cta.b64 [empties+{}], {};", 8 * i, arrivals());
    }
    line("bar.sync 0;");
    if (has_producer_) {
      line("setp.ge.u32 w, t, {};\n@w bra PRODUCER;", consumers());
    } else {
      line("mov.pred me, first;");
      for (uint32_t i = 0; i < std::min(stages_, turns_); ++i) {
        line("mov.u32 s, {};\nmov.u32 i, {};", i, i);
        place();
        copy_in("i");
      }
    }
    consume();
    write_out();
    line("bra END;");
    if (has_producer_) produce();
    line("END: ret;");
    text_ = kernel_text(declarations() + body_, 3, "sm_90a", "8.4");
  }

  [[nodiscard]] std::string declarations() const {
    return fmt::format(
        ".shared .align 1024 .b8 tile[{}];\n.shared .align 8 .b64 full[4];\n"
        ".shared .align 8 .b64 empty[4];\n.shared .align 16 .b8 staged[{}];\n"
        ".reg .pred first, leader, me, q, w;\n"
        ".reg .b32 t, c, a, b, e, f, i, j, s, v, ph, sum, tiles, fulls, empties, outs;\n"
        ".reg .b64 from, to, bulk, src, off, x, y;\n.reg .f32 d<{}>;\n",
        stages_ * kStageBytes, 4 * consumers(), n_ / 2);
  }

  testing::Rng rng_;
  uint32_t stages_ = 1, turns_ = 1, n_ = 8, groups_ = 1, labels_ = 0;
  bool has_producer_ = false, lone_producer_ = false, multiplies_ = false, loads_ = false;
  bool arrives_by_warp_ = false, by_barrier_ = false, two_copies_ = false;
  bool stores_in_bulk_ = false, defers_ = false;
  std::string wait_;
  Fault fault_ = Fault::kNone;
  std::string body_, text_;
};

}  // namespace warpledger::exec
