#include "warpledger/profile/limits/baseline.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace warpledger::profile::budget {
namespace {

using Json = nlohmann::json;  // sorted by key

constexpr int kSchemaVersion = 1;
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

Json number_json(double value) {
  const bool whole = std::abs(value) < kLargestWhole && std::floor(value) == value;
  return whole ? Json(static_cast<int64_t>(value)) : Json(value);
}

Diagnostic bad(const Source& source, const std::string& why) {
  return {.message = fmt::format("'{}' is not a baseline: {}", source.name(), why),
          .hint = "warpledger check --update-baseline writes one",
          .code = "bad-baseline"};
}

}  // namespace

std::optional<double> Baseline::find(const std::string& launch, const std::string& metric) const {
  const auto found = launches_.find(launch);
  if (found == launches_.end()) return {};
  const auto value = found->second.find(metric);
  return value == found->second.end() ? std::nullopt : std::optional(value->second);
}

void Baseline::set(const std::string& launch, const std::string& metric, double value) {
  launches_[launch][metric] = value;
}

std::string Baseline::to_json() const {
  Json json{{"schema_version", kSchemaVersion}, {"launches", Json::object()}};
  for (const auto& [launch, metrics] : launches_) {
    for (const auto& [metric, value] : metrics) {
      json["launches"][launch][metric] = number_json(value);
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Baseline> Baseline::from_json(const Source& source) {
  const Json json = Json::parse(source.text(), nullptr, false);
  if (!json.is_object()) return bad(source, "no JSON object");
  if (json.value("schema_version", Json()) != Json(kSchemaVersion)) {
    return bad(source, fmt::format("'schema_version' is not {}", kSchemaVersion));
  }
  if (!json.contains("launches") || !json["launches"].is_object()) {
    return bad(source, "'launches' is missing");
  }
  Baseline baseline;
  for (const auto& [launch, metrics] : json["launches"].items()) {
    if (!metrics.is_object()) return bad(source, fmt::format("'{}' contains no metrics", launch));
    for (const auto& [metric, value] : metrics.items()) {
      if (!value.is_number()) return bad(source, fmt::format("'{}' is not a number", metric));
      baseline.set(launch, metric, value.get<double>());
    }
  }
  return baseline;
}

}  // namespace warpledger::profile::budget
