#include "cli/commands/request.h"

#include <fmt/core.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "cli/commands/profile_html.h"
#include "warpledger/profile/explain/brief_json.h"
#include "warpledger/profile/file/json_value.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/run/query_json.h"

namespace warpledger::cli {
namespace {

using Json = nlohmann::ordered_json;
using profile::Profile;

/// One line, read.
struct Request {
  bool brief = true;  // "explain"; else "profile"
  std::vector<std::string> metrics = {};
  profile::Query query = {};
};

Diagnostic refused(std::string why) {
  return {.message = std::move(why),
          .hint = "docs/scale.md shows requests, docs/query.md lists their fields",
          .code = "bad-request"};
}

/// Takes the field out of the request: what is left is the query.
Json take(Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return nullptr;
  Json value = std::move(*found);
  json.erase(found);
  return value;
}

/// [8] and [8, 8] as three numbers.
void complete_extents(Json& json) {
  for (const char* key : {"grid", "block", "cluster"}) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array() || found->empty()) continue;
    while (found->size() < 3) found->push_back(1);
  }
}

Result<std::vector<std::string>> read_metrics(const Json& json) {
  std::vector<std::string> metrics;
  if (json.is_null()) return metrics;
  if (!json.is_array()) return refused("'metrics' is not a list of names");
  for (const Json& name : json) {
    if (!name.is_string()) return refused("'metrics' is not a list of names");
    WL_TRY(const profile::Metric known, profile::find_metric(name.get<std::string>()));
    metrics.push_back(known.name);
  }
  return metrics;
}

Result<Request> read_request(Json json, const RequestLimits& limits) {
  Request request;
  const Json command = take(json, "command");
  if (command != nullptr && command != "explain" && command != "profile")
    return refused(fmt::format("'command' is explain or profile, not {}", command.dump()));
  request.brief = command != "profile";
  WL_TRY(request.metrics, read_metrics(take(json, "metrics")));
  if (request.brief && !request.metrics.empty())
    return refused("'metrics' needs \"command\": \"profile\"");
  complete_extents(json);
  const std::string rest = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  WL_TRY(request.query, profile::query_from_json(Source("request", rest)));
  profile::QueryOptions& options = request.query.options;
  if (!options.trace_cache.empty()) return refused("'trace_cache' has no answer here");
  options.isolate = limits.isolate;
  // Requests run side by side; one that is alone may ask for more.
  if (options.threads == 0) options.threads = 1;
  const double wanted = options.timeout_seconds;
  options.timeout_seconds = wanted > 0 ? std::min(wanted, limits.seconds) : limits.seconds;
  return request;
}

Json raw_of(const profile::Value& value) {
  struct Visit {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(int64_t number) const { return number; }
    Json operator()(double number) const { return number; }
    Json operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visit{}, value.raw);
}

Json metrics_of(const Profile& profile, const std::vector<std::string>& names) {
  Json metrics = Json::object();
  for (const std::string& name : names) {
    const auto [value, unit] = profile::answer(name, profile);
    metrics[name] = {
        {"value", raw_of(value)}, {"unit", unit}, {"fidelity", to_text(value.fidelity)}};
  }
  return metrics;
}

Json explanation_of(const Profile& profile) {
  const profile::Briefs briefs =
      profile::briefs_of({profile}, find_sources({}, {profile}), /*most=*/1);
  return Json::parse(profile::to_json(briefs));
}

Json error_of(const Diagnostic& diagnostic) {
  Json error = {{"code", diagnostic.code}, {"message", diagnostic.message}};
  if (!diagnostic.hint.empty()) error["hint"] = diagnostic.hint;
  if (diagnostic.at) {
    error["where"] = {{"file", diagnostic.at->file},
                      {"line", diagnostic.at->line},
                      {"column", diagnostic.at->column}};
  }
  return error;
}

Result<Json> answer_of(Json json, store::Store* store, const RequestLimits& limits) {
  WL_TRY(const Request request, read_request(std::move(json), limits));
  WL_TRY(const profile::QueryAnswer made, profile::answer(request.query, store));
  Json answer = {{"from_store", made.from_store}};
  if (request.brief) {
    answer["explain"] = explanation_of(made.profile);
  } else if (!request.metrics.empty()) {
    answer["metrics"] = metrics_of(made.profile, request.metrics);
  } else {
    answer["profile"] = profile::json_of(made.profile);
  }
  return answer;
}

std::string line_of(const Json& json) {
  // Names come from files: what is not UTF-8 is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string answer_request(const std::string& line, store::Store* store,
                           const RequestLimits& limits) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return refusal_line(refused("the line is not a JSON object"));
  Json id = take(json, "id");
  Json answer = Json::object();
  if (!id.is_null()) answer["id"] = std::move(id);
  try {
    const Result<Json> made = answer_of(std::move(json), store, limits);
    if (made) {
      answer.update(*made);
    } else {
      answer["error"] = error_of(made.error());
    }
  } catch (const std::exception& bug) {  // one bad request must not end the others
    answer["error"] = {{"code", "internal"}, {"message", bug.what()}};
  }
  return line_of(answer);
}

std::string refusal_line(const Diagnostic& diagnostic) {
  return line_of({{"error", error_of(diagnostic)}});
}

}  // namespace warpledger::cli
