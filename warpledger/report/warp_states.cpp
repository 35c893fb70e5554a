#include "warpledger/report/warp_states.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/advice/waits.h"
#include "warpledger/report/words.h"

namespace warpledger::report {
namespace {

using profile::LineWait;
using profile::Profile;

constexpr double kBar = 16, kStep = 24, kTop = 8, kNumber = 56;
constexpr Color kInk{30, 30, 30}, kWait{0, 90, 160}, kIssue{0, 130, 95};
constexpr double kLeastShown = 0.01;  // of an instruction's latency
constexpr size_t kMostLines = 10;

struct State {
  sm::Reason reason;
  double cycles;  // per instruction
};

std::vector<State> states_of(const sm::States& states) {
  std::vector<State> all;
  for (size_t i = 0; i < sm::kReasons; ++i) {
    const State state{static_cast<sm::Reason>(i), states.warps[i] / states.issued};
    if (state.cycles >= kLeastShown * states.latency()) all.push_back(state);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const State& a, const State& b) { return a.cycles > b.cycles; });
  return all;
}

/// Bars from left to right, the longest first, as ncu draws them.
Drawing chart_of(const std::vector<State>& states, double width, double names) {
  Drawing drawing{.width = width, .height = 2 * kTop + kStep * static_cast<double>(states.size())};
  const double most = states.front().cycles;
  for (size_t i = 0; i < states.size(); ++i) {
    const double top = kTop + kStep * static_cast<double>(i);
    const double length = (width - names - kNumber) * states[i].cycles / most;
    const bool issues = states[i].reason == sm::Reason::kSelected;
    const double base = top + kBar - 4;
    drawing.shapes.push_back(Text{.at = {names - 8, base},
                                  .words = std::string(to_text(states[i].reason)),
                                  .anchor = Anchor::kEnd,
                                  .color = kInk});
    drawing.shapes.push_back(Rectangle{
        {names, top}, std::max(1.0, length), kBar, issues ? kIssue : kWait, {.width = 0}});
    drawing.shapes.push_back(Text{.at = {names + length + 6, base},
                                  .words = fmt::format("{:.2f}", states[i].cycles),
                                  .color = kInk});
  }
  return drawing;
}

Table data_of(const std::vector<State>& states, double latency) {
  Table table{.title = "Warp states",
              .columns = {{"State", "state"},
                          {"Cycles per instruction", "cycles", Align::kRight},
                          {"Share", "share_percent", Align::kRight}}};
  for (const State& state : states) {
    table.rows.push_back(
        {{std::string(to_text(state.reason)), number_cell(state.cycles, 2, Fidelity::kModeled),
          number_cell(100 * state.cycles / latency, 1, Fidelity::kModeled)}});
  }
  return table;
}

Table lines_of(const Profile& profile) {
  Table table{.title = "Where warps wait",
              .columns = {{"Line", "line"},
                          {"State", "state"},
                          {"Waits for", "waits_for"},
                          {"Share of all warp cycles", "share_percent", Align::kRight}}};
  for (const LineWait& wait : profile::waits_of(profile)) {
    if (table.rows.size() == kMostLines || wait.share < kLeastShown) break;
    table.rows.push_back({{profile::to_text(wait.where), std::string(to_text(wait.reason)),
                           wait.waits_for ? profile::to_text(*wait.waits_for) : "",
                           number_cell(100 * wait.share, 1, Fidelity::kModeled)}});
  }
  return table;
}

}  // namespace

Panel warp_states_panel(const Profile& profile) {
  Panel panel{.title = "Warp states", .side_by_side = true};
  if (!profile.states || !(profile.states->issued > 0) || !(profile.states->latency() > 0)) {
    const std::string why = profile.no_states.empty() ? "" : ": " + profile.no_states;
    panel.blocks.push_back(
        Prose{{fmt::format("Warp states are not modeled for this launch{}.", why)}});
    return panel;
  }
  const std::vector<State> states = states_of(*profile.states);
  const double latency = profile.states->latency();
  panel.blocks.push_back(Illustration{
      .name = "warp-states",
      .title = "Cycles per issued instruction, by state",
      .caption = {fmt::format("A warp spends {:.2f} cycles between two of its instructions "
                              "(modeled): one to issue, the others waiting.",
                              latency)},
      .wide = chart_of(states, 560, 150),
      .narrow = chart_of(states, 340, 130),
      .data = data_of(states, latency),
      .is_headed = true});
  panel.blocks.push_back(lines_of(profile));
  return panel;
}

}  // namespace warpledger::report
