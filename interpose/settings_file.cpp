#include "interpose/settings_file.h"

#include <fmt/core.h>

#include <cstdlib>

#include "interpose/devices.h"
#include "interpose/settings.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/file/field_json.h"
#include "warpledger/profile/run/query_json.h"

namespace warpledger::cuda {
namespace {

using Json = nlohmann::ordered_json;

// Writing and reading walk the same list.
template <class Settings, class Visit>
void each_field(Settings& settings, Visit visit) {
  visit("report", settings.report);
  visit("launch_skip_before_match", settings.launch_skip_before_match);
  visit("launch_skip", settings.launch_skip);
  visit("launch_count", settings.launch_count);
  visit("all_launches", settings.all_launches);
  visit("trials", settings.trials);
  visit("trace", settings.trace);
  visit("code", settings.code);
  visit("progress", settings.progress);
  visit("verbose", settings.verbose);
  visit("store", settings.store);
  visit("tools", settings.tools);
  visit("devices", settings.devices);
  visit("aten", settings.aten);
  visit("memory_mib", settings.memory_mib);
  visit("profile_from_start", settings.profile_from_start);
  visit("heeds_profiler_calls", settings.heeds_profiler_calls);
  visit("nvtx_include", settings.nvtx_include);
  visit("nvtx_exclude", settings.nvtx_exclude);
  visit("range_filter", settings.range_filter);
}

/// As much of a question as programs are asked.
profile::Query asked_of_programs(const profile::Query& query) {
  profile::Query asked;
  asked.gpu = query.gpu;
  asked.what.kernel = query.what.kernel;
  asked.what.name_base = query.what.name_base;
  asked.options.sampling = query.options.sampling;
  asked.options.sass = query.options.sass;
  asked.options.check_races = query.options.check_races;
  asked.options.continue_on_error = query.options.continue_on_error;
  asked.options.engine = query.options.engine;
  asked.options.timeout_seconds = query.options.timeout_seconds;
  return asked;
}

/// The first field of `a` that `b` has with another value, or not; "" where they are equal.
std::string first_difference(const Json& a, const Json& b) {
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key)) return key;
    if (value == b[key]) continue;
    return value.is_object() ? first_difference(value, b[key]) : key;
  }
  return "";
}

std::string read_query(const std::string& name, const Json& json, profile::Query& query) {
  const auto read = profile::query_from_json(Source(name, json.dump()));
  if (!read) return "query: " + read.error().message;
  query = *read;
  const std::string other =
      first_difference(Json::parse(profile::to_json(query)),
                       Json::parse(profile::to_json(asked_of_programs(query))));
  if (other.empty()) return "";
  return fmt::format("'{}' cannot be set for a program: its launches define it", other);
}

std::string read_fields(const std::string& name, const Json& json, SettingsFile& settings) {
  std::string fault;
  profile::FieldReader reader(json, fault);
  each_field(settings, std::ref(reader));
  const Json* query = reader.take("query");
  reader.refuse_others();
  if (fault.empty() && settings.memory_mib > kMostMemoryMib)
    return fmt::format("'memory_mib' is more than {}", kMostMemoryMib);
  if (fault.empty() && (settings.devices < 1 || settings.devices > kMostDevices))
    return fmt::format("'devices' is not from 1 to {}", kMostDevices);
  if (fault.empty() && settings.aten != "cpu" && settings.aten != "gpu")
    return fmt::format("'aten' cannot be '{}': it is 'cpu' or 'gpu'", settings.aten);
  if (fault.empty() && query != nullptr) return read_query(name, *query, settings.query);
  return fault;
}

}  // namespace

std::string to_json(const SettingsFile& settings) {
  Json json = Json::object();
  json["query"] = Json::parse(profile::to_json(settings.query));
  each_field(settings, profile::FieldWriter{json});
  // Paths are bytes: a broken UTF-8 sequence must not throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<SettingsFile> settings_from_json(const Source& source) {
  const Json json = Json::parse(source.text(), nullptr, false);
  SettingsFile settings;
  const std::string fault =
      json.is_discarded() ? "it is not JSON" : read_fields(source.name(), json, settings);
  if (fault.empty()) return settings;
  return Diagnostic{.message = fmt::format("'{}' does not hold settings: {}", source.name(), fault),
                    .hint = "docs/programs.md lists the fields",
                    .code = "bad-settings"};
}

Result<SettingsFile> read_settings_file() {
  const char* path = std::getenv(kSettingsVariable);
  if (path == nullptr || *path == '\0') return SettingsFile{};
  WL_TRY(std::string text, read_file(path));
  return settings_from_json(Source(path, std::move(text)));
}

}  // namespace warpledger::cuda
