#include "warpledger/profile/metrics/page.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/report/access.h"
#include "warpledger/report/glance.h"
#include "warpledger/report/memory_chart.h"
#include "warpledger/report/report.h"
#include "warpledger/report/roofline.h"
#include "warpledger/report/source_view.h"
#include "warpledger/report/warp_states.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::Finding;
using profile::Profile;

Card card_of(const Finding& finding) {
  const std::string where = profile::to_text(finding.where);
  const bool named = finding.title.find(where) != std::string::npos;
  Card card{.title = finding.title,
            .where = named ? "" : where,
            .because = finding.because,
            .remedy = finding.remedy};
  card.saving = number_cell(100 * finding.saving, 1, Fidelity::kModeled);
  card.gain = finding.gain;
  return card;
}

Panel findings_panel(const Profile& profile, const std::vector<Finding>& findings) {
  Panel panel{.title = "What to do"};
  std::vector<Card> cards;
  for (const Finding& finding : findings) cards.push_back(card_of(finding));
  if (cards.empty()) {
    panel.blocks.push_back(Prose{{"Nothing stands out: no access wastes much."}});
  } else {
    panel.blocks.push_back(std::move(cards));
    panel.blocks.push_back(Prose{
        {profile.sampled ? "Numbers in these sentences are modeled, from a part of the grid."
                         : "In these sentences requests, lanes, words, sectors and wavefronts are "
                           "exact; cycles, hit rates, and bytes of L2 and DRAM are modeled."}});
  }
  return panel;
}

/// ncu's sections; the column of words for fidelity goes, because every value has its mark.
Panel sections_panel(const Profile& profile) {
  Panel panel{.title = "Sections", .side_by_side = true, .folded = true};
  for (const profile::Section& section : profile::sections()) {
    Table table = profile::table_of(section, profile, profile::Units::kAuto);
    std::erase_if(table.columns, [](const Column& c) { return c.key == "fidelity_word"; });
    panel.blocks.push_back(std::move(table));
  }
  return panel;
}

Panel memory_panel(const Profile& profile) {
  return {.title = "Memory",
          .blocks = {memory_chart(profile), profile::journey(profile)},
          .side_by_side = true};
}

/// ncu's memory tables.
Panel memory_tables_panel(const Profile& profile) {
  Panel panel{.title = "Memory tables", .side_by_side = true, .folded = true};
  for (const profile::MemoryTable& table : profile::memory_tables()) {
    panel.blocks.push_back(profile::table_of(table, profile, profile::Units::kAuto));
  }
  return panel;
}

Panel access_panel(const Profile& profile) {
  Panel panel{.title = "Access patterns"};
  for (const profile::AccessExample& example : profile.examples) {
    panel.blocks.push_back(access_picture(profile, example));
  }
  if (panel.blocks.empty()) {
    panel.blocks.push_back(Prose{
        {"No recorded request touched more sectors or took more wavefronts than its bytes need."}});
  }
  return panel;
}

/// The first finding, and whether it and the row rest on a part of the grid.
std::string remark(const Profile& profile) {
  const std::vector<Finding> findings = profile::find(profile);
  const std::string first = findings.empty() ? "" : findings.front().title;
  if (!profile.sampled && !profile.prefix) return first;
  return "sampled" + (first.empty() ? "" : "; " + first);
}

Row launch_row(const Profile& profile, size_t number) {
  const auto count = static_cast<int64_t>(std::max<uint64_t>(1, profile.launches.count));
  return {{Cell(static_cast<int64_t>(number), Fidelity::kExact),
           profile::short_name(profile.kernel), Cell(count, Fidelity::kExact), profile.gpu.name,
           profile::dims(profile.launch.grid), profile::dims(profile.launch.block),
           shown(profile, "gpu__time_duration.sum"), profile::limit_of(profile),
           shown(profile, "dram__bytes.sum"), shown(profile, "l1tex__t_sector_hit_rate.pct"),
           shown(profile, "lts__t_sector_hit_rate.pct"), remark(profile)}};
}

}  // namespace

Page page_of(const Profile& profile, const Sources& sources, const profile::MachineCode* code) {
  Page page{.title = profile::heading(profile), .subtitle = profile::headline(profile)};
  const std::string launches = profile::to_text(profile.launches);
  if (!launches.empty()) page.subtitle.push_back(launches);
  const std::vector<Finding> findings = profile::find(profile);
  page.glance = glance_at(profile, findings, sources);
  page.panels.push_back(findings_panel(profile, findings));
  page.panels.push_back(memory_panel(profile));
  page.panels.push_back({.title = "Roofline",
                         .blocks = {roofline(profile), profile::busiest_units(profile)},
                         .side_by_side = true});
  page.panels.push_back(warp_states_panel(profile));
  page.panels.push_back(access_panel(profile));
  page.panels.push_back({.title = "Source", .blocks = {source_view(profile, sources, code)}});
  page.panels.push_back(memory_tables_panel(profile));
  page.panels.push_back(sections_panel(profile));
  return page;
}

Table launch_list(const std::vector<Profile>& launches) {
  Table table{.title = "Launches"};
  table.columns = {{"#", "number", Align::kRight},
                   {"Kernel", "kernel"},
                   {"Launches", "launches", Align::kRight},
                   {"GPU", "gpu"},
                   {"Grid", "grid"},
                   {"Block", "block"},
                   {"Duration", "duration_ns", Align::kRight},
                   {"Limit", "limit"},
                   {"DRAM", "dram_bytes", Align::kRight},
                   {"L1 hit", "l1_hit_percent", Align::kRight},
                   {"L2 hit", "l2_hit_percent", Align::kRight},
                   {"First finding", "finding"}};
  for (size_t i = 0; i < launches.size(); ++i) table.rows.push_back(launch_row(launches[i], i));
  return table;
}

Document document_of(const std::vector<Profile>& launches, const Sources& sources,
                     const Codes& codes) {
  Document document{
      .title = "warpledger profile", .index = launch_list(launches), .bars = "duration_ns"};
  if (launches.size() == 1) {
    document.title =
        fmt::format("{} on {}", profile::short_name(launches[0].kernel), launches[0].gpu.name);
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    const bool known = i < codes.size() && codes[i];
    document.pages.push_back(page_of(launches[i], sources, known ? &*codes[i] : nullptr));
  }
  if (!launches.empty()) {
    document.footer = fmt::format("warpledger {}: counted without a GPU", launches[0].version);
  }
  return document;
}

}  // namespace warpledger::report
