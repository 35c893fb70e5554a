#include "warpledger/profile/explain/brief_json.h"

#include <nlohmann/json.hpp>

#include "warpledger/profile/explain/brief_lines.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json json_of(const SourceLine& where) {
  if (where.line == 0) return nullptr;
  return {{"file", where.file}, {"line", where.line}};
}

Json json_of(const BriefFinding& finding, const Brief& brief) {
  Json json = {
      {"rule", finding.rule},
      {"where", json_of(finding.where)},
      {"why", finding.why},
      {"change", finding.change.text},
      {"snippet", finding.change.snippet},
      {"gives", gain_of(brief, finding)},
      {"saving", nullptr},
      {"nanoseconds_after", nullptr},
      {"basis", finding.basis == Basis::kResimulated ? "simulated-again" : "counted-again"},
      {"fidelity", "modeled"}};
  if (finding.saving > 0) json["saving"] = finding.saving;
  if (finding.saving > 0 && brief.nanoseconds > 0)
    json["nanoseconds_after"] = brief.nanoseconds * (1 - finding.saving);
  return json;
}

Json json_of(const Certainty& certainty) {
  return {{"counts", to_text(certainty.counts)},
          {"sampled", certainty.is_sampled},
          {"time_median_error", certainty.median_error},
          {"time_high_error", certainty.high_error},
          {"time_shift", certainty.kind ? Json(certainty.kind->shift / 100) : Json(nullptr)},
          {"launch_kind", certainty.kind ? Json(certainty.kind->kind) : Json(nullptr)},
          {"published_launches", certainty.reports}};
}

Json json_of(const std::vector<BriefLine>& lines) {
  Json all = Json::array();
  for (const BriefLine& line : lines) {
    all.push_back(
        {{"kind", line.kind}, {"finding", line.finding}, {"rule", line.rule}, {"text", line.text}});
  }
  return all;
}

Json json_of(const Difference& since) {
  Json units = Json::array();
  for (const UnitChange& one : since.units)
    units.push_back(
        {{"unit", one.unit}, {"cycles_before", one.before}, {"cycles_after", one.after}});
  return {{"nanoseconds_before", since.before > 0 ? Json(since.before) : Json(nullptr)},
          {"nanoseconds_after", since.after > 0 ? Json(since.after) : Json(nullptr)},
          {"saving", since.saving()},
          {"limit_before", since.limit_before},
          {"limit_after", since.limit_after},
          {"units", std::move(units)},
          {"gone", since.gone},
          {"new", since.come},
          {"measure", since.is_open()},
          {"lines", json_of(lines_of(since))}};
}

Json json_of(const Brief& brief) {
  Json json = {{"kernel", brief.kernel},
               {"gpu", brief.gpu},
               {"shape", brief.shape},
               {"launches", brief.launches},
               {"nanoseconds", nullptr},
               {"limit", nullptr},
               {"race", nullptr},
               {"findings", Json::array()},
               {"certainty", json_of(brief.certainty)}};
  if (brief.nanoseconds > 0) json["nanoseconds"] = brief.nanoseconds;
  json["limit"] = {{"rule", brief.limit.rule},
                   {"unit", brief.limit.unit},
                   {"busiest", brief.limit.busiest},
                   {"busy", brief.limit.busy}};
  if (!brief.race.empty())
    json["race"] = {{"text", brief.race}, {"where", json_of(brief.race_where)}};
  for (const BriefFinding& finding : brief.findings)
    json["findings"].push_back(json_of(finding, brief));
  json["measure"] = {{"needed", !brief.certainty.measure.empty()},
                     {"because", brief.certainty.measure}};
  json["lines"] = json_of(lines_of(brief));
  return json;
}

}  // namespace

std::string to_json(const Briefs& briefs) {
  Json all = {{"schema", kSchema}, {"launches", Json::array()}, {"left_out", briefs.left_out}};
  for (const Brief& brief : briefs.shown) all["launches"].push_back(json_of(brief));
  if (briefs.since) all["since"] = json_of(*briefs.since);
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpledger::profile
