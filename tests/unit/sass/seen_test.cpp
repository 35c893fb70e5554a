#include "warpledger/sass/witness/seen.h"

#include "tests/support/law.h"
#include "tests/unit/sass/any_code.h"
#include "warpledger/sass/witness/blocks.h"
#include "warpledger/sass/witness/counts.h"

namespace warpledger::sass {
namespace {

constexpr const char* kDivision = "div.rn.f32 %f1, %f2, %f3;\n";

// As ptxas makes a division: a check, and a call that operands out of range take.
KernelWitness divides() {
  KernelWitness kernel = witness_of(kDivision, {{"FCHK P0, R0, R1", kBody},
                                                {"@!P0 BRA 0x40", kBody, 0x40},
                                                {"MOV R2, 0x40", kBody},
                                                {"CALL.REL.NOINC `($slowpath)", kBody},
                                                {"EXIT", kBody + 1},                // 0x40
                                                {"SHF.R.U32.HI R3, RZ, 0x17, R0"},  // $slowpath
                                                {"@P1 BRA 0x80", 0, 0x80},
                                                {"FADD R0, R0, R1"},
                                                {"RET.REL.NODEC R2 `(k)"}});
  kernel.functions = {{.name = "k", .first = 0, .end = 5, .is_entry = true},
                      {.name = "$slowpath", .first = 5, .end = 9}};
  kernel.blocks = build_blocks(kernel.code, kernel.functions, {});
  return kernel;
}

/// Executions of the instructions above when so many warps divide, call, and add.
std::vector<uint64_t> executions(uint64_t all, uint64_t slow, uint64_t adding) {
  return {all, all, slow, slow, all, slow, slow, adding, slow};
}

SassCounts counted(const KernelWitness& kernel, uint64_t warps, const Shares& shares) {
  const auto module = ptx::parse("test.ptx", kernel_of(kDivision));
  return count_sass(*module, kernel, {.functions = {{0, {.blocks = {warps}}}}, .shares = shares});
}

LAW(Seen, SharesOfAFewBlocksScaleToTheLaunch) {
  const auto module = ptx::parse("test.ptx", kernel_of(kDivision));
  const KernelWitness kernel = divides();
  const auto all = static_cast<uint64_t>(rng.between(1, 100));
  const auto slow = static_cast<uint64_t>(rng.between(0, static_cast<int64_t>(all)));
  const auto adding = static_cast<uint64_t>(rng.between(0, static_cast<int64_t>(slow)));
  const auto times = static_cast<uint64_t>(rng.between(1, 1000));
  const auto seen = executions(all, slow, adding);
  const SassCounts sass = counted(kernel, times * all, seen_shares(*module, kernel, seen));
  for (size_t b = 0; b < kernel.blocks.size(); ++b)
    EXPECT_EQ(sass.blocks[b], times * seen[kernel.blocks[b].first]) << b;
}

TEST(Seen, WithoutSharesASlowPathIsNeverTaken) {
  const SassCounts sass = counted(divides(), 32, {});
  EXPECT_EQ(sass.opcodes.at("FCHK"), 32U);
  EXPECT_FALSE(sass.opcodes.contains("CALL.REL.NOINC"));
}

TEST(Seen, CountsFromSharesAreModeled) {
  const auto module = ptx::parse("test.ptx", kernel_of(kDivision));
  const KernelWitness kernel = divides();
  const Shares shares = seen_shares(*module, kernel, executions(4, 4, 0));
  EXPECT_EQ(counted(kernel, 32, shares).fidelity, Fidelity::kModeled);
}

TEST(Seen, AFunctionOfTheModuleIsNotPtxasOwn) {
  const auto module = ptx::parse("test.ptx",
                                 ".version 8.0\n.target sm_80\n.address_size 64\n"
                                 ".func helper()\n{\nret;\n}\n");
  const KernelWitness kernel{.name = "k"};
  EXPECT_FALSE(is_ptxas_own(*module, kernel, {.name = "helper", .first = 5}));
  EXPECT_FALSE(is_ptxas_own(*module, kernel, {.name = "$k$helper", .first = 5}));
  EXPECT_TRUE(is_ptxas_own(*module, kernel, {.name = "$__internal_0_$__cuda_div", .first = 5}));
}

}  // namespace
}  // namespace warpledger::sass
