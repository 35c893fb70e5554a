// Every spelling of shfl, vote, match, redux and activemask on random lanes, against the ISA's
// pseudocode; and by hand what happens at the edges.
#include <fmt/core.h>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/spellings.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Slot;

struct Lanes32 {
  std::vector<uint64_t> a;
  std::vector<uint32_t> b;  // of shfl, lane by lane; of vote the predicate
  uint32_t c = 0x1f, members = 0xffffffff;
};
struct Answers {
  std::vector<uint32_t> d, p;
};

/// Lane l has a[l] in %rd2 and %r2, b[l] in %r3 and %p2; answers go to %r4 and %p4. Lanes outside
/// the member mask do not execute the instruction.
Answers run(const std::string& instruction, const Lanes32& in) {
  TestMachine machine(kernel_text(fmt::format(R"(
    .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
    ld.param.u64 %rd0, [p0];
    mov.u32 %r0, %laneid; mul.wide.u32 %rd1, %r0, 16; add.s64 %rd1, %rd0, %rd1;
    ld.global.u64 %rd2, [%rd1]; cvt.u32.u64 %r2, %rd2; ld.global.u32 %r3, [%rd1+8];
    setp.ne.u32 %p2, %r3, 0; mov.u32 %r4, 0xdead; setp.ne.u32 %p4, %r0, %r0;
    mov.u32 %r5, {:#x}; mov.u32 %r6, {:#x};
    shr.u32 %r7, %r6, %r0; and.b32 %r7, %r7, 1; setp.eq.u32 %p5, %r7, 0;
    @%p5 bra OUT;
    {};
  OUT:
    selp.u32 %r8, 1, 0, %p4;
    st.global.v2.u32 [%rd1], {{%r4, %r8}};
    ret;)",
                                              in.c, in.members, instruction),
                                  1, "sm_90", "8.6"));
  std::vector<uint64_t> words;
  for (size_t l = 0; l < 32; ++l) words.insert(words.end(), {in.a[l], in.b[l]});
  const uint64_t out = machine.put(words);
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)}), "")
      << instruction;
  const auto got = machine.get<uint32_t>(out, 128);
  Answers answers;
  for (size_t l = 0; l < 32; ++l) {
    answers.d.push_back(got[4 * l]);
    answers.p.push_back(got[4 * l + 1]);
  }
  return answers;
}

Lanes32 any_lanes(testing::Rng& rng) {
  Lanes32 in;
  const uint64_t few = rng.coin() ? 3 : ~uint64_t{0};
  for (int l = 0; l < 32; ++l) {
    in.a.push_back(rng.bits() & few);
    in.b.push_back(static_cast<uint32_t>(rng.between(0, 40)));
  }
  const uint32_t segments[] = {0, 16, 24, 28, 30, 31};
  in.c = segments[rng.between(0, 5)] << 8 | static_cast<uint32_t>(rng.between(0, 31));
  in.members = rng.coin() ? 0xffffffff : static_cast<uint32_t>(rng.bits()) | 1;
  return in;
}

bool is_member(const Lanes32& in, uint32_t lane) { return (in.members >> lane & 1) != 0; }

// The pseudocode of shfl.sync. A lane outside the mask has no defined value to read.
void check_shfl(testing::Rng& rng, const std::string& text, Modifier mode) {
  const Lanes32 in = any_lanes(rng);
  const Answers got = run(text + " %r4|%p4, %r2, %r3, %r5, %r6", in);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!is_member(in, lane)) continue;
    const uint32_t bval = in.b[lane] & 31, cval = in.c & 31, mask = in.c >> 8 & 31;
    const uint32_t top = (lane & mask) | (cval & ~mask), bottom = lane & mask;
    int64_t j = 0;
    bool p = false;
    if (mode == Modifier::kUp) j = int64_t{lane} - bval, p = j >= int64_t{top};
    if (mode == Modifier::kDown) j = int64_t{lane} + bval, p = j <= int64_t{top};
    if (mode == Modifier::kBfly) j = lane ^ bval, p = j <= int64_t{top};
    if (mode == Modifier::kIdx) j = bottom | (bval & ~mask), p = j <= int64_t{top};
    if (!p) j = lane;
    EXPECT_EQ(got.p[lane], p ? 1u : 0u) << text << " lane " << lane;
    if (!is_member(in, static_cast<uint32_t>(j))) continue;
    EXPECT_EQ(got.d[lane], static_cast<uint32_t>(in.a[static_cast<size_t>(j)]))
        << text << " lane " << lane;
  }
}

void check_vote(testing::Rng& rng, const std::string& text, const ptx::Spelling& s) {
  Lanes32 in = any_lanes(rng);
  const int64_t kind = rng.between(0, 2);
  for (uint32_t& b : in.b) b = kind == 0 ? 0 : kind == 1 ? 1 : b & 1;
  const bool ballot = s.has(Modifier::kBallot);
  const Answers got = run(text + (ballot ? " %r4, %p2, %r6" : " %p4, %p2, %r6"), in);
  uint32_t set = 0;
  for (uint32_t l = 0; l < 32; ++l) set |= is_member(in, l) && in.b[l] != 0 ? 1u << l : 0;
  const bool all = set == in.members, any = set != 0;
  const bool want = s.has(Modifier::kAll) ? all : s.has(Modifier::kAny) ? any : all || !any;
  for (uint32_t l = 0; l < 32; ++l) {
    if (!is_member(in, l)) continue;
    EXPECT_EQ(ballot ? got.d[l] : got.p[l], ballot ? set : uint32_t{want}) << text;
  }
}

void check_match(testing::Rng& rng, const std::string& text, const ptx::Spelling& s) {
  Lanes32 in = any_lanes(rng);
  if (rng.coin()) in.a.assign(32, in.a[0]);
  const bool wide = ptx::bits(s.type()) == 64, all = s.has(Modifier::kAll);
  const Answers got =
      run(text + (all ? " %r4|%p4, " : " %r4, ") + (wide ? "%rd2" : "%r2") + ", %r6", in);
  for (uint32_t l = 0; l < 32; ++l) {
    if (!is_member(in, l)) continue;
    uint32_t same = 0;
    for (uint32_t o = 0; o < 32; ++o) {
      const uint64_t difference = in.a[l] ^ in.a[o];
      if (is_member(in, o) && (wide ? difference : difference & 0xffffffff) == 0) same |= 1u << o;
    }
    const bool everyone = same == in.members;
    EXPECT_EQ(got.d[l], all ? (everyone ? in.members : 0) : same) << text;
    EXPECT_EQ(got.p[l], uint32_t{all && everyone}) << text;
  }
}

void check_redux(testing::Rng& rng, const std::string& text, const ptx::Spelling& s) {
  const Lanes32 in = any_lanes(rng);
  const Answers got = run(text + " %r4, %r2, %r6", in);
  const bool is_signed = s.type() == ptx::Type::kS32;
  bool first = true;
  uint32_t r = 0;
  for (uint32_t l = 0; l < 32; ++l) {
    if (!is_member(in, l)) continue;
    const auto v = static_cast<uint32_t>(in.a[l]);
    const bool less = is_signed ? static_cast<int32_t>(v) < static_cast<int32_t>(r) : v < r;
    if (first)
      r = v;
    else if (s.has(Modifier::kAdd))
      r += v;
    else if (s.has(Modifier::kAnd))
      r &= v;
    else if (s.has(Modifier::kOr))
      r |= v;
    else if (s.has(Modifier::kXor))
      r ^= v;
    else if (s.has(Modifier::kMin) == less)
      r = v;
    first = false;
  }
  for (uint32_t l = 0; l < 32; ++l) {
    if (!is_member(in, l)) continue;
    EXPECT_EQ(got.d[l], r) << text;
  }
}

LAW_ROUNDS(Exchange, EverySpellingFollowsThePseudocode, 40) {
  for (const std::string& text : spellings(kExchangeOps)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    switch (s->op()) {
      case Op::kShfl:
        check_shfl(rng, text, s->get(Slot::kOperation));
        break;
      case Op::kVote:
        check_vote(rng, text, *s);
        break;
      case Op::kMatch:
        check_match(rng, text, *s);
        break;
      case Op::kRedux:
        check_redux(rng, text, *s);
        break;
      default: {  // activemask: the lanes that are here
        const Lanes32 in = any_lanes(rng);
        const Answers got = run(text + " %r4", in);
        for (uint32_t l = 0; l < 32; ++l)
          EXPECT_EQ(got.d[l], is_member(in, l) ? in.members : 0xdead) << text;
      }
    }
  }
}

// A warp of 20 threads: lanes that do not exist are not waited for, nor read.
TEST(Exchange, PartialWarps) {
  TestMachine machine(kernel_text(R"(
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [p0]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;
    shfl.sync.down.b32 %r1, %r0, 1, 31, 0xfffff; setp.lt.u32 %p0, %r0, 5;
    vote.sync.ballot.b32 %r2, %p0, 0xfffff; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;)"));
  const uint64_t out = machine.put(std::vector<uint32_t>(20));
  ASSERT_EQ(machine.run({.kernel = "k", .block = {20, 1, 1}, .params = TestMachine::pack(out)}),
            "");
  const auto got = machine.get<uint32_t>(out, 20);
  for (uint32_t i = 0; i < 19; ++i) EXPECT_EQ(got[i], i + 1 + 31);
}

}  // namespace
}  // namespace warpledger::exec
