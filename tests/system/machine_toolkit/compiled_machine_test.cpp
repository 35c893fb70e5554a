// Machine code compiled against machine code interpreted: every byte of memory, every record, how
// often each instruction was executed and by how many lanes.
#include <iostream>
#include <map>

#include "tests/support/machine/compiled.h"
#include "tests/support/machine/same.h"
#include "tests/system/machine_toolkit/async_kernels.h"
#include "tests/system/machine_toolkit/random_kernels.h"
#include "warpledger/base/diagnostic.h"
#include "warpledger/exec/jit/runtime/compiler.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::exec {
namespace {

bool can_compare() { return machine::can_compare() && jit::load_compiler().ok(); }

std::string cubin_of(const std::string& text, const std::string& arch) {
  const auto made =
      toolchain::run_ptxas(toolchain::find_tools("ptxas"), text, arch, {"--fmad=false"});
  if (!made) ADD_FAILURE() << to_text(made.error()) << text;
  return made ? made->cubin : "";
}

/// The seed's kernel and launch.
std::string compare_random(uint64_t seed, const std::string& arch,
                           translate::Parting parting = {}) {
  const std::string text = header_for(arch) + entry_of(seed, "k");
  const std::string cubin = cubin_of(text, arch);
  if (cubin.empty()) return "no cubin";
  TestMachine machine(text, "k.ptx");
  const Launch launch = launch_of(machine, seed, "k");
  return machine::compare_compiled(machine.image(), launch, cubin, {.warp_instructions = 2'000'000},
                                   1, parting);
}

class CompiledMachine : public ::testing::TestWithParam<const char*> {};

TEST_P(CompiledMachine, DoesWhatTheInterpreterDoes) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  const auto [first, end] = asked_seeds();
  std::map<std::string, uint64_t> outcomes;
  for (uint64_t seed = first; seed < end; ++seed) {
    // Half of them with their lanes by address, where that would not be needed.
    const auto parting = seed % 2 == 0 ? translate::Parting::kByAddress : translate::Parting{};
    const std::string outcome = compare_random(seed, GetParam(), parting);
    ++outcomes[outcome.substr(0, outcome.find(" at '"))];
    EXPECT_FALSE(outcome.starts_with("differs"))
        << "WL_SEED=" << seed << " on " << GetParam() << ": " << outcome;
  }
  for (const auto& [outcome, times] : outcomes)
    std::cout << GetParam() << ": " << times << " " << outcome << "\n";
}

// IMAD.HI was taken to overwrite the register behind its result, and a count ignored its guard.
TEST(CompiledMachineCounts, AnUpperHalfOverwritesOneRegister) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  EXPECT_EQ(compare_random(25, "sm_86"), "equal");
}

// Lanes that read one address of their stacks were all given what the first one has there.
TEST(CompiledMachineCounts, AnAddressOfTheStackIsEachLanesOwn) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  EXPECT_EQ(compare_random(52, "sm_86"), "equal");
}

INSTANTIATE_TEST_SUITE_P(Architectures, CompiledMachine,
                         ::testing::Values("sm_80", "sm_86", "sm_89"));

// Lanes that part in ways that PTX has no join for.

/// Each thread's two words of the input are `a` and `b`; `c` and `n` are its output.
std::string parting_kernel(const std::string& body) {
  return kernel_text(R"(
  .reg .pred p, q; .reg .b32 t, a, b, c, i, n, v; .reg .b64 in, out, x, y, z; .reg .f32 f, g, h;
  mov.u32 t, %tid.x;
  ld.param.u64 in, [p0];
  ld.param.u64 out, [p1];
  mul.wide.u32 x, t, 8;
  add.u64 in, in, x;
  add.u64 out, out, x;
  ld.global.u32 a, [in];
  ld.global.u32 b, [in+4];
  mov.u32 c, 0;
  mov.u32 n, 0;
  mov.u32 i, 0;
)" + body + R"(
  st.global.u32 [out], c;
  st.global.u32 [out+4], n;
  ret;)",
                     2, "sm_86", "8.4");
}

void expect_compiled(const std::string& body, const std::string& opcode) {
  if (!can_compare()) GTEST_SKIP() << "no ptxas, no nvdisasm or no compiler";
  const std::string text = parting_kernel(body);
  const std::string cubin = cubin_of(text, "sm_86");
  TestMachine machine(text);
  ASSERT_TRUE(machine.is_loaded()) << text;
  const uint64_t in = machine.put(mild_words(256)), out = machine.put(std::vector<uint32_t>(256));
  const Launch launch{.kernel = "k", .block = {112, 1, 1}, .params = TestMachine::pack(in, out)};
  auto engine =
      translate::Engine::create(machine.image(), launch, cubin, jit::shared_code_cache({}),
                                {.count = true}, machine::Spellings::kAll);
  ASSERT_TRUE(engine.ok()) << to_text(engine.error());
  bool has_opcode = false;
  for (const sass::Instruction& one : (*engine)->listing()->code)
    has_opcode = has_opcode || one.opcode.starts_with(opcode);
  EXPECT_TRUE(has_opcode) << "ptxas does without " << opcode << " now";
  for (const auto parting : {translate::Parting::kByCode, translate::Parting::kByAddress})
    EXPECT_EQ(machine::compare_compiled(machine.image(), launch, cubin, {}, 4, parting), "equal");
}

TEST(PartingMachine, WideQuotientsReturnToTheirCallers) {
  expect_compiled(R"(
  mul.wide.u32 x, a, a;
  and.b32 i, b, 1;
  setp.eq.u32 p, i, 0;
  selp.b32 i, 0, b, p;
  mov.b64 y, {a, i};
  add.u64 y, y, 1;
  div.u64 z, x, y;
  mov.b64 {c, n}, z;
  rem.u64 z, y, x;
  mov.b64 {v, i}, z;
  add.u32 n, n, v;
)",
                  "RET");
}

TEST(PartingMachine, FloatQuotientsReturnToTheirCallers) {
  expect_compiled(R"(
  mov.b32 f, a;
  mov.b32 g, b;
  div.rn.f32 h, f, g;
  mov.b32 c, h;
  abs.f32 g, g;
  sqrt.rn.f32 h, g;
  mov.b32 n, h;
)",
                  "RET");
}

TEST(PartingMachine, LoopsAreLeftFromInside) {
  expect_compiled(R"(
LOOP:
  .pragma "nounroll";
  add.u32 c, c, a;
  xor.b32 c, c, i;
  and.b32 v, c, 7;
  setp.eq.u32 q, v, 3;
  @q bra OUT;
  and.b32 v, c, 1;
  setp.eq.u32 p, v, 0;
  @p bra EVEN;
  mad.lo.u32 n, n, 3, c;
  bra NEXT;
EVEN:
  add.u32 n, n, i;
  shr.u32 a, a, 1;
  setp.eq.u32 q, a, 0;
  @q bra EMPTY;
NEXT:
  add.u32 i, i, 1;
  setp.lt.u32 p, i, 40;
  @p bra LOOP;
  add.u32 n, n, 1000;
  bra OUT;
EMPTY:
  xor.b32 n, n, b;
OUT:
  add.u32 n, n, i;
)",
                  "BSYNC");
}

TEST(PartingMachine, TablesSendLanesAllWays) {
  std::string ways;
  for (const char* way : {"A", "B", "C", "D", "E", "F"})
    ways += fmt::format(
        "W{0}:\n  mul.hi.u32 c, a, {1};\n  shl.b32 n, b, {2};\n  popc.b32 v, c;\n"
        "  rem.u32 n, n, {1};\n  bra JOIN;\n",
        way, 1000 + 37 * (*way - 'A'), *way - 'A');
  expect_compiled(
      "  rem.u32 v, t, 6;\nT: .branchtargets WA, WB, WC, WD, WE, WF;\n"
      "  brx.idx v, T;\n" +
          ways + "JOIN:\n  add.u32 n, n, v;\n",
      "BRX");
}

// Who comes to the barrier first waits there, and each group has a mark of its own.
TEST(PartingMachine, LanesComeToABarrierApart) {
  expect_compiled(R"(
  .shared .align 16 .b8 tile[512];
  .reg .b32 at;
  shl.b32 at, t, 2;
  mov.u32 v, tile;
  add.u32 at, at, v;
LOOP:
  .pragma "nounroll";
  mad.lo.u32 c, c, 5, a;
  rem.u32 v, c, 11;
  xor.b32 c, c, v;
  mov.b32 f, c;
  mov.b32 g, b;
  div.rn.f32 h, f, g;
  mov.b32 n, h;
  add.u32 i, i, 16;
  setp.lt.u32 p, i, t;
  @p bra LOOP;
  st.shared.u32 [at], c;
  bar.sync 0;
  ld.shared.u32 v, [tile+32];
  add.u32 n, n, v;
)",
                  "BAR");
}

TEST(PartingMachine, SmallConstantsAndCarries) {
  expect_compiled(R"(
  mul.wide.u32 x, a, b;
  mov.b64 y, {b, a};
  shl.b64 z, x, 5;
  sub.u64 y, y, z;
  mov.b64 {c, n}, y;
  .reg .u16 h0;
  ld.param.u16 h0, [p1+2];
  cvt.u32.u16 v, h0;
  add.u32 n, n, v;
)",
                  "LEA");
}

TEST(PartingMachine, NamedLanesMeet) {
  expect_compiled(R"(
  and.b32 v, t, 3;
  setp.eq.u32 p, v, 1;
  @p bra SOME;
  add.u32 n, a, b;
  shfl.sync.bfly.b32 c, n, 2, 31, 0xdddddddd;
  bra JOIN;
SOME:
  mul.lo.u32 n, a, b;
  shfl.sync.bfly.b32 c, n, 4, 31, 0x22222222;
JOIN:
  bar.warp.sync 0xffffffff;
  shfl.sync.bfly.b32 v, c, 1, 31, 0xffffffff;
  add.u32 n, n, v;
)",
                  "WARPSYNC");
}

}  // namespace
}  // namespace warpledger::exec
