// Profiles as documents: what is shown agrees with what was counted.
#include "warpledger/report/report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/render/html.h"
#include "warpledger/report/access.h"
#include "warpledger/report/flops.h"
#include "warpledger/report/memory_chart.h"
#include "warpledger/report/roofline.h"
#include "warpledger/report/source_view.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::Profile;
using profile::testing::add_access;
using profile::testing::any_profile;
using profile::testing::plain_profile;
using ::testing::HasSubstr;
using trace::Kind;
using trace::Space;
using warpledger::testing::Rng;

int64_t raw(const Cell& cell) { return std::get<int64_t>(cell.raw); }

LAW(MemoryChart, EdgesToDramAddUpToItsCounters) {
  const Profile p = any_profile(rng);
  const Illustration figure = memory_chart(p);
  int64_t moved = 0;
  for (const Row& row : figure.data.rows) {
    if (row.cells[0].text == "Device Memory" || row.cells[1].text == "Device Memory")
      moved += raw(row.cells[4]);
  }
  EXPECT_EQ(moved, static_cast<int64_t>(
                       32 * (p.counters.dram.read_sectors + p.counters.dram.write_sectors)));
}

LAW(MemoryChart, InstructionsOfTheKernelAreAllRequests) {
  const Profile p = any_profile(rng);
  int64_t shown = 0, counted = 0;
  for (const Row& row : memory_chart(p).data.rows) {
    if (!std::holds_alternative<std::monostate>(row.cells[2].raw)) shown += raw(row.cells[2]);
  }
  for (const memory::SiteCounters& site : p.counters.sites)
    counted += static_cast<int64_t>(site.request.requests);
  EXPECT_EQ(shown, counted);
}

/// A profile with everything that a page can show: time, arithmetic and an example of each space.
Profile whole_profile(Rng& rng) {
  Profile p = any_profile(rng);
  p.code.push_back({.text = "fma.rn.f32 %f1, %f2, %f3, %f4;",
                    .pipe = profile::Pipe::kFma,
                    .executions = 64,
                    .lanes = 2048});
  if (p.states) p.states->instructions.emplace_back();
  p.timing = {.elapsed_cycles = 1e5, .active_cycles = 9e4, .resident_warps = 30};
  p.timing->sm_hertz = 1.4e9;
  p.timing->l2_hertz = 1.3e9;
  p.timing->dram_hertz = 9.5e9;
  for (uint32_t i = 0; i < p.instructions.size(); ++i) {
    if (p.instructions[i].site.space == Space::kLocal) continue;
    profile::AccessExample example{.instruction = i, .mask = 0xff};
    for (uint64_t& address : example.address)
      address = static_cast<uint64_t>(4 * rng.between(0, 999));
    p.examples.push_back(example);
  }
  return p;
}

LAW(Report, AnyProfileMakesASmallPage) {
  const Profile p = whole_profile(rng);
  const std::string html = to_html(document_of({p, p}, {}));
  EXPECT_LT(html.size(), kMostHtmlBytes);
  EXPECT_THAT(html, HasSubstr("Memory chart"));
}

LAW(SourceView, LinesHoldAllThatWasAsked) {
  Profile p = any_profile(rng);
  for (profile::CodeLine& code : p.code) code.executions = 1;
  const Listing listing = source_view(p, {});
  const auto sum = [](const std::vector<ListingLine>& lines) {
    int64_t total = 0;
    for (const ListingLine& line : lines) {
      if (line.numbers.size() < 2) continue;
      if (const auto* n = std::get_if<int64_t>(&line.numbers[1].raw)) total += *n;
    }
    return total;
  };
  EXPECT_EQ(sum(listing.left), sum(listing.right));
}

void look_at(const Table& table, std::vector<Cell>& cells) {
  for (const Row& row : table.rows) cells.insert(cells.end(), row.cells.begin(), row.cells.end());
}

/// Every cell that a reader can see.
std::vector<Cell> cells_of(const Document& document) {
  std::vector<Cell> cells;
  look_at(document.index, cells);
  for (const Page& page : document.pages) {
    for (const Panel& panel : page.panels) {
      for (const Block& block : panel.blocks) {
        if (const auto* table = std::get_if<Table>(&block)) look_at(*table, cells);
        if (const auto* figure = std::get_if<Illustration>(&block)) look_at(figure->data, cells);
        const auto* listing = std::get_if<Listing>(&block);
        if (!listing) continue;
        for (const auto* side : {&listing->left, &listing->right}) {
          for (const ListingLine& line : *side) {
            cells.insert(cells.end(), line.numbers.begin(), line.numbers.end());
          }
        }
      }
    }
  }
  return cells;
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell.raw) || std::holds_alternative<double>(cell.raw);
}

LAW(Report, EveryNumberHasAFidelity) {
  const Document document = document_of({whole_profile(rng)}, {});
  for (const Cell& cell : cells_of(document)) {
    EXPECT_TRUE(!is_number(cell) || cell.text.empty() || cell.fidelity) << cell.text;
  }
}

LAW(Report, AGlanceNamesTheFirstFindingAndItsLine) {
  const Profile p = whole_profile(rng);
  const std::vector<profile::Finding> findings = profile::find(p);
  const Page page = page_of(p, {});
  const auto value_of = [&](const std::string& label) {
    for (const KeyFact& fact : page.glance)
      if (fact.label == label) return fact.value.text;
    return std::string();
  };
  EXPECT_EQ(value_of("Limit"), profile::limit_of(p));
  EXPECT_EQ(value_of("Cause"), findings.empty() ? "" : findings[0].title);
  const bool has_line = !findings.empty() && findings[0].where.line > 0;
  EXPECT_EQ(value_of("Line"), has_line ? profile::to_text(findings[0].where) : "");
  for (const KeyFact& fact : page.glance)
    EXPECT_TRUE(!is_number(fact.value) || fact.value.fidelity) << fact.label;
}

LAW(Report, OfASampleSaysSoAndCountsNothingAsExact) {
  Profile p = whole_profile(rng);
  p.sampled = {.simulated = 128, .counted = 64, .exact_seconds = 99};
  const Page page = page_of(p, {});
  EXPECT_THAT(page.subtitle, ::testing::Contains(HasSubstr("sampled: 128 of")));
  for (const Row& row : memory_chart(p).data.rows) {
    for (const Cell& cell : row.cells) {
      EXPECT_TRUE(!is_number(cell) || cell.fidelity == Fidelity::kModeled) << row.cells[0].text;
    }
  }
  EXPECT_THAT(launch_list({p}).rows[0].cells.back().text, HasSubstr("sampled"));
}

TEST(SourceView, ShowsTheTextAroundLinesThatRan) {
  Profile p = plain_profile();
  add_access(p, Space::kGlobal, Kind::kLoad, "a").request = {.requests = 4, .lanes = 128};
  p.code[0].executions = 4;
  const Listing listing = source_view(p, {{"k.cu", {"int a;", "int b;"}}});
  ASSERT_EQ(listing.left.size(), 3u);
  EXPECT_EQ(listing.left[0].text, "k.cu");
  EXPECT_EQ(listing.left[1].text, "int a;");
  EXPECT_EQ(listing.left[1].key, "k.cu:1");
  EXPECT_TRUE(listing.left[2].dim);
  EXPECT_EQ(raw(listing.left[1].numbers[1]), 512);
}

TEST(Flops, AreCountedByInstruction) {
  EXPECT_EQ(flops_of("fma.rn.f32 %f1, %f2, %f3, %f4;", 1, 32).single, 64);
  EXPECT_EQ(flops_of("@%p1 add.f64 %fd1, %fd2, %fd3;", 1, 7).two_fold, 7);
  EXPECT_EQ(flops_of("fma.rn.f16x2 %r1, %r2, %r3, %r4;", 1, 32).half, 128);
  EXPECT_EQ(flops_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {}", 1, 32).tensor, 4096);
  EXPECT_EQ(flops_of("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {}", 1, 32).tensor, 8192);
  EXPECT_EQ(flops_of("add.s32 %r1, %r2, %r3;", 1, 32).total(), 0);
  EXPECT_EQ(flops_of("ld.global.f32 %f1, [%rd1];", 1, 32).total(), 0);
  EXPECT_EQ(flops_of("ret;", 1, 32).total(), 0);
}

TEST(AccessPicture, OfAStridedLoadHasASectorForEachLane) {
  Profile p = plain_profile();
  add_access(p, Space::kGlobal, Kind::kLoad, "a");
  profile::AccessExample example{.mask = ~0u};
  for (size_t lane = 0; lane < 32; ++lane) example.address[lane] = 4096 + 128 * lane;
  const Illustration figure = access_picture(p, example);
  EXPECT_EQ(figure.name, "worst-global-access");
  EXPECT_EQ(figure.data.rows.size(), 32u);
  EXPECT_THAT(figure.caption.back(),
              HasSubstr("32 sectors of 32 B for this request; packed, its bytes would need 4."));
}

TEST(AccessPicture, OfAColumnInSharedMemoryHasOneBank) {
  Profile p = plain_profile();
  add_access(p, Space::kShared, Kind::kLoad);
  profile::AccessExample example{.mask = ~0u};
  for (size_t lane = 0; lane < 32; ++lane) example.address[lane] = 128 * lane;
  const Illustration figure = access_picture(p, example);
  EXPECT_EQ(figure.name, "worst-shared-access");
  EXPECT_THAT(figure.caption.back(),
              HasSubstr("32 wavefronts for this request; without conflicts it would take 1."));
}

TEST(Words, AreShort) {
  EXPECT_EQ(compact(9999), "9,999");
  EXPECT_EQ(compact(524288), "524 k");
  EXPECT_EQ(compact(1234567), "1.23 M");
  EXPECT_EQ(compact(99960), "100 k");
  EXPECT_EQ(compact(0.25), "0.25");
}

TEST(Roofline, IsWordsWhereAClockIsMissing) {
  Rng rng(4, 20);
  Profile p = whole_profile(rng);
  EXPECT_TRUE(std::holds_alternative<Illustration>(roofline(p)));
  p.timing->sm_hertz = 0;
  EXPECT_TRUE(std::holds_alternative<Prose>(roofline(p)));
  p.timing.reset();
  EXPECT_TRUE(std::holds_alternative<Prose>(roofline(p)));
}

TEST(LaunchList, NamesLatencyWhereNoUnitIsBusy) {
  Rng rng(5, 20);
  Profile p = whole_profile(rng);
  p.timing->elapsed_cycles = 1e15;
  EXPECT_EQ(launch_list({p}).rows[0].cells[7].text, "latency");
  p.timing->elapsed_cycles = 1;
  EXPECT_NE(launch_list({p}).rows[0].cells[7].text, "latency");
}

TEST(LaunchList, HasOneRowForEachLaunch) {
  Rng rng(3, 20);
  const Table list = launch_list({any_profile(rng), any_profile(rng), any_profile(rng)});
  EXPECT_EQ(list.rows.size(), 3u);
  for (const Row& row : list.rows) EXPECT_EQ(row.cells.size(), list.columns.size());
}

}  // namespace
}  // namespace warpledger::report
