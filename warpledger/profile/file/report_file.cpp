#include "warpledger/profile/file/report_file.h"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "warpledger/ncu/rep_file.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/json_value.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;

Diagnostic bad(const std::string& file, const std::string& why) {
  return {.message = fmt::format("'{}' is not a report: {}", file, why),
          .hint = "warpledger profile ... -o FILE writes one",
          .code = "bad-report"};
}

/// The records that warpledger left in a report file of ncu.
Result<std::vector<Profile>> read_ncu_report(const Source& source) {
  WL_TRY(const ncu::RepFile file, ncu::read_rep_file(source.name(), source.text()));
  std::vector<Profile> profiles;
  for (const ncu::RepResult& result : file.results) {
    if (result.record.empty()) {
      return Diagnostic{.message = fmt::format(
                            "'{}' was measured by ncu: it contains no prediction", source.name()),
                        .hint = "use 'warpledger compare' to compare it with a profile",
                        .code = "bad-report"};
    }
    WL_TRY(profiles.emplace_back(), from_record(result.record));
  }
  if (profiles.empty()) return bad(source.name(), "it has no launch");
  return profiles;
}

}  // namespace

std::string to_report(const std::vector<Profile>& profiles) {
  if (profiles.size() == 1) return to_json(profiles.front());
  Json json;
  json["schema_version"] = kProfileSchemaVersion;
  json["command"] = "report";
  json["profiles"] = json_of(profiles);
  return print_json(json);
}

Result<std::vector<Profile>> read_report(const Source& source) {
  if (ncu::is_rep_file(source.text())) return read_ncu_report(source);
  std::vector<Profile> profiles;
  const Json json = Json::parse(source.text(), nullptr, false);
  if (!json.is_object() && !json.is_array()) return bad(source.name(), "no JSON object");
  if (json.is_object() && !json.contains("profiles")) {
    WL_TRY(profiles.emplace_back(), profile_from_json(source));
    return profiles;
  }
  if (json.empty()) return bad(source.name(), "it has no launch");
  const Json& list = json.is_array() ? json : json["profiles"];
  if (!list.is_array()) return bad(source.name(), "'profiles' is not a list");
  for (const Json& one : list) {
    WL_TRY(profiles.emplace_back(), profile_from_json(Source(source.name(), one.dump())));
  }
  return profiles;
}

std::string to_record(const Profile& profile) {
  return fmt::format("{}\n", profile.output.size()) + profile.output + compact_json(profile);
}

Result<Profile> from_record(const std::string& record) {
  const size_t line = record.find('\n');
  size_t size = 0;
  const char* begin = record.data();
  const auto read = std::from_chars(begin, begin + std::min(line, record.size()), size);
  if (line == std::string::npos || read.ptr != begin + line || size > record.size() - line - 1) {
    return bad("record", "its length is wrong");
  }
  WL_TRY(Profile profile, profile_from_json(Source("record", record.substr(line + 1 + size))));
  profile.output = record.substr(line + 1, size);
  return profile;
}

}  // namespace warpledger::profile
