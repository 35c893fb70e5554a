// The texture and surface rows of the L1/TEX table.
#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/ledger.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

using testing::add_access;
using testing::plain_profile;
using trace::Kind;
using trace::Space;

double number(const Profile& profile, const std::string& name) {
  const Value value = answer(name, profile).value;
  if (const auto* n = std::get_if<int64_t>(&value.raw)) return static_cast<double>(*n);
  return std::get<double>(value.raw);
}

memory::SiteCounters fetches(uint64_t requests) {
  memory::SiteCounters c;
  c.request.instructions = c.request.requests = requests;
  c.request.lanes = requests * 128;
  c.request.sectors = c.request.theoretical_sectors = 8 * requests;
  c.request.ideal_sectors = 4 * requests;
  c.l1_hit_sectors = 6 * requests;
  c.l2_sectors = 2 * requests;
  c.l2_requests = requests;
  return c;
}

Profile with_texels(bool assumed) {
  Profile profile = plain_profile();
  add_access(profile, Space::kTexture, Kind::kLoad, "", 1) = fetches(10);
  add_access(profile, Space::kSurface, Kind::kStore) = fetches(3);
  for (Instruction& one : profile.instructions) one.site.assumed_layout = assumed;
  testing::add_up(profile);
  return profile;
}

std::vector<std::string> rows(const Profile& profile) {
  std::vector<std::string> labels;
  for (const MemoryTable& table : memory_tables()) {
    if (table.title != "L1/TEX Cache") continue;
    for (const Row& row : table_of(table, profile, Units::kAuto).rows)
      labels.push_back(row.cells[0].text);
  }
  return labels;
}

TEST(Texture, TheTableHasItsRows) {
  EXPECT_EQ(rows(with_texels(false)),
            (std::vector<std::string>{"Texture", "Surface Store", "Total"}));
  EXPECT_EQ(rows(plain_profile()), std::vector<std::string>{"Total"});
}

TEST(Texture, MetricsHaveTheNamesOfNcu) {
  const Profile profile = with_texels(false);
  EXPECT_EQ(number(profile, "smsp__inst_executed_op_texture.sum"), 10);
  EXPECT_EQ(number(profile, "smsp__inst_executed_op_surface_st.sum"), 3);
  EXPECT_EQ(number(profile, "l1tex__t_requests_pipe_tex_mem_texture.sum"), 10);
  EXPECT_EQ(number(profile, "l1tex__t_sectors_pipe_tex_mem_texture.sum"), 80);
  EXPECT_EQ(number(profile, "l1tex__t_sectors_pipe_tex_mem_texture_lookup_miss.sum"), 20);
  EXPECT_DOUBLE_EQ(number(profile, "l1tex__t_sector_pipe_tex_mem_texture_hit_rate.pct"), 75);
  EXPECT_EQ(number(profile, "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum"), 24);
}

TEST(Texture, TotalsHaveThemAndTheLoadStoreUnitHasNot) {
  const Profile profile = with_texels(false);
  EXPECT_EQ(number(profile, "l1tex__t_sectors.sum"), 104);
  EXPECT_EQ(number(profile, "lts__t_sectors_srcunit_tex.sum"), 26);
  EXPECT_EQ(number(profile, "l1tex__m_xbar2l1tex_read_bytes.sum"), 20 * 32);
  EXPECT_EQ(number(profile, "l1tex__m_xbar2l1tex_read_bytes_pipe_lsu.sum"), 0);
  EXPECT_EQ(number(profile, "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum"), 0);
  EXPECT_EQ(number(profile, "l1tex__lsuin_requests.sum"), 0);
  EXPECT_EQ(number(profile, "sm__texture_unit_cycles.sum"), 8 * 13);
}

TEST(Texture, ArraysAreAssumedAndLinearMemoryIsModeled) {
  const auto fidelity = [](const Profile& profile, const char* name) {
    return answer(name, profile).value.fidelity;
  };
  const Profile known = with_texels(false), assumed = with_texels(true);
  constexpr const char* kSectors = "l1tex__t_sectors_pipe_tex_mem_texture.sum";
  constexpr const char* kRequests = "l1tex__t_requests_pipe_tex_mem_texture.sum";
  constexpr const char* kInstructions = "smsp__inst_executed_op_texture.sum";
  EXPECT_EQ(fidelity(known, kSectors), Fidelity::kModeled);
  EXPECT_EQ(fidelity(assumed, kSectors), Fidelity::kAssumed);
  EXPECT_EQ(fidelity(assumed, kRequests), Fidelity::kModeled);
  EXPECT_EQ(fidelity(assumed, kInstructions), Fidelity::kExact);
  EXPECT_EQ(fidelity(plain_profile(), "l1tex__t_sectors.sum"), Fidelity::kExact);
}

TEST(Texture, TheLedgerHasTheBytesOfTheTexels) {
  const Profile profile = with_texels(true);
  const Ledger ledger = ledger_of(profile);
  bool found = false;
  for (const Movement& row : ledger.rows)
    found |= row.edge == Edge{Level::kL1, Level::kReg} && row.counters.contains("sectors");
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace warpledger::profile
