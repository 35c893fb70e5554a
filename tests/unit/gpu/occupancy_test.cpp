#include "warpledger/gpu/occupancy.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/law.h"
#include "tests/support/source.h"
#include "tests/unit/gpu/cuda_occupancy.h"
#include "warpledger/gpu/gpu.h"

namespace warpledger {
namespace {

using testing::cuda_occupancy;
using testing::OracleAnswer;
using testing::Rng;

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all = all_architectures();
  return all;
}

const Architecture& architecture_of(int capability) {
  for (const Architecture& one : architectures()) {
    if (one.major * 10 + one.minor == capability) return one;
  }
  throw std::out_of_range("no such architecture");
}

unsigned bits(const std::vector<Resource>& resources) {
  unsigned set = 0;
  for (const Resource one : resources) set |= 1U << static_cast<unsigned>(one);
  return set;
}

// As the header numbers its answer. Its factors are those at the minimum before barriers were
// looked at, plus barriers; ours are those at the final minimum.
OracleAnswer as_oracle(const Occupancy& ours) {
  const BlockLimits& l = ours.limits;
  unsigned limiting = bits(ours.limited_by);
  const int64_t others =
      std::min({l.warps, l.registers, l.shared_memory, l.blocks, l.virtual_resources});
  if (ours.blocks_per_sm < others) {
    limiting |= (l.warps == others ? 1U : 0U) | (l.registers == others ? 2U : 0U) |
                (l.shared_memory == others ? 4U : 0U) | (l.blocks == others ? 8U : 0U) |
                (l.virtual_resources == others ? 32U : 0U);
  }
  const auto number = [](int64_t n) { return static_cast<int>(n); };
  return {number(ours.blocks_per_sm),
          limiting,
          number(l.warps),
          number(l.registers),
          number(l.shared_memory),
          number(l.blocks),
          number(l.barriers),
          number(l.virtual_resources),
          number(ours.registers_per_block),
          static_cast<long>(ours.smem_bytes_per_block)};
}

int64_t any_smem(Rng& rng, int64_t largest) {
  switch (rng.between(0, 3)) {
    case 0:
      return 0;
    case 1:
      return rng.between(0, 4096);
    case 2:
      return rng.between(0, 400) * 256;
    default:
      return rng.between(0, largest + 4096);
  }
}

BlockNeeds any_needs(Rng& rng, const Architecture& architecture) {
  const int64_t largest = architecture.shared_memory.bytes_per_block_optin.value;
  return {.threads = rng.coin() ? rng.between(1, 1100) : 32 * rng.between(1, 33),
          .registers_per_thread = rng.between(0, 260),
          .static_smem_bytes = any_smem(rng, largest) / 2,
          .dynamic_smem_bytes = any_smem(rng, largest),
          .barriers = rng.between(0, 20),
          .virtual_resources = rng.coin() ? 0 : rng.between(0, 140)};
}

SmemPreference any_preference(Rng& rng, const Architecture& architecture) {
  SmemPreference preference{.opted_in = rng.between(0, 3) != 0};
  if (rng.coin()) preference.carveout_percent = static_cast<int>(rng.between(0, 100));
  if (rng.between(0, 3) == 0)
    preference.max_dynamic_bytes =
        rng.between(0, architecture.shared_memory.bytes_per_block_optin.value);
  return preference;
}

std::string shown(const Architecture& a, const BlockNeeds& n, const SmemPreference& p) {
  return fmt::format(
      "{}: threads {} regs {} static {} dynamic {} barriers {} virtual {} carveout {} opted_in {} "
      "max dynamic {}",
      a.id, n.threads, n.registers_per_thread, n.static_smem_bytes, n.dynamic_smem_bytes,
      n.barriers, n.virtual_resources, p.carveout_percent.value_or(-1), p.opted_in,
      p.max_dynamic_bytes.value_or(-1));
}

TEST(OccupancyAgainstNvidia, IsEqualOnAMillionRandomConfigurations) {
  if (!testing::have_cuda_occupancy())
    GTEST_SKIP() << "cuda_occupancy.h was not found: install the CUDA toolkit or set CUDA_HOME";
  constexpr int kConfigurations = 1'200'000;
  Rng rng(testing::kLawSeed, 100);
  int differences = 0;
  for (int i = 0; i < kConfigurations && differences < 5; ++i) {
    const Architecture& architecture = rng.pick(architectures());
    const BlockNeeds needs = any_needs(rng, architecture);
    const SmemPreference preference = any_preference(rng, architecture);
    const auto expected = cuda_occupancy(architecture, needs, preference);
    const auto ours = occupancy(architecture, needs, preference);
    if (expected.has_value() == ours.ok() && (!ours || as_oracle(*ours) == *expected)) continue;
    ++differences;
    ADD_FAILURE() << shown(architecture, needs, preference) << ": " << ours->blocks_per_sm
                  << " blocks, NVIDIA says " << (expected ? expected->blocks : -1);
  }
  RecordProperty("configurations", kConfigurations);
}

TEST(Occupancy, GoldenRowsAreEqual) {
  std::ifstream file(test::source_path("tests/inputs/occupancy_golden.csv"));
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    int capability = 0;
    BlockNeeds needs;
    fields >> capability >> needs.threads >> needs.registers_per_thread >> needs.dynamic_smem_bytes;
    OracleAnswer expected;
    fields >> expected.blocks >> expected.warps >> expected.registers >> expected.shared_memory >>
        expected.block_slots >> expected.allocated_registers >> expected.allocated_smem >>
        expected.limiting;
    ASSERT_TRUE(fields) << line;
    OracleAnswer ours = as_oracle(*occupancy(architecture_of(capability), needs));
    ours.barriers = ours.virtual_ones = 0;  // not in the file
    ASSERT_TRUE(ours == expected) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 7700);
}

LAW(Occupancy, NeverGrowsWithWhatABlockAsksFor) {
  const Architecture& architecture = rng.pick(architectures());
  const BlockNeeds less = any_needs(rng, architecture);
  BlockNeeds more = less;
  more.registers_per_thread += rng.between(0, 30);
  more.dynamic_smem_bytes += rng.between(0, 10'000);
  more.barriers = std::max<int64_t>(less.barriers, 1) + rng.between(0, 3);
  EXPECT_LE(occupancy(architecture, more)->blocks_per_sm,
            occupancy(architecture, less)->blocks_per_sm);
}

LAW(Occupancy, ResidentBlocksFitIntoTheSm) {
  const Architecture& a = rng.pick(architectures());
  const Occupancy found = *occupancy(a, any_needs(rng, a));
  EXPECT_LE(found.warps_per_sm(), a.execution.max_warps_per_sm.value);
  EXPECT_LE(found.blocks_per_sm * found.smem_bytes_per_block, a.shared_memory.bytes_per_sm.value);
  EXPECT_LE(found.blocks_per_sm * found.registers_per_block, a.execution.regs_per_sm.value);
  EXPECT_FALSE(found.limited_by.empty());
}

TEST(Occupancy, ABlockThatDoesNotFitHasNoBlocks) {
  const Architecture& a = architecture_of(86);
  EXPECT_EQ(occupancy(a, {.threads = 1025})->blocks_per_sm, 0);
  EXPECT_EQ(occupancy(a, {.threads = 1024, .registers_per_thread = 65})->blocks_per_sm, 0);
  EXPECT_EQ(occupancy(a, {.threads = 32, .dynamic_smem_bytes = 101'377})->blocks_per_sm, 0);
  EXPECT_EQ(occupancy(a, {.threads = 32, .dynamic_smem_bytes = 101'376})->blocks_per_sm, 1);
}

TEST(Occupancy, InputWithoutMeaningIsRefused) {
  const Architecture& a = architecture_of(86);
  EXPECT_EQ(occupancy(a, {.threads = 0}).error().code, "bad-launch");
  EXPECT_EQ(occupancy(a, {.threads = 32, .registers_per_thread = -1}).error().code, "bad-launch");
  EXPECT_FALSE(occupancy(a, {.threads = 32}, {.carveout_percent = 101}).ok());
}

}  // namespace
}  // namespace warpledger
