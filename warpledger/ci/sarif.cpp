#include "warpledger/ci/sarif.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warpledger/profile/explain/rule_page.h"

namespace warpledger::ci {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

const char* to_text(Level level) {
  return level == Level::kError ? "error" : level == Level::kWarning ? "warning" : "note";
}

/// Those that were used, by name, so that the same remarks give the same file.
std::vector<std::string> rules_of(const std::vector<Annotation>& all) {
  std::vector<std::string> rules;
  for (const Annotation& one : all) rules.push_back(one.rule);
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

Json rule_json(const std::string& id) {
  const profile::RulePage* page = profile::find_rule_page(id);
  WL_CHECK(page != nullptr);
  const std::string markdown(page->markdown);
  return {{"id", id},
          {"name", id},
          {"shortDescription", {{"text", page->title()}}},
          {"fullDescription", {{"text", page->summary()}}},
          {"help", {{"text", markdown}, {"markdown", markdown}}},
          {"properties", {{"tags", {"performance", "gpu"}}}}};
}

Json location_json(const Annotation& one) {
  return {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", uri_of(one.path)}}}, {"region", {{"startLine", one.line}}}}}};
}

Json result_json(const Annotation& one, const std::string& fingerprint, size_t rule_index) {
  Json json = {{"ruleId", one.rule},
               {"ruleIndex", rule_index},
               {"level", to_text(one.level)},
               {"message", {{"text", one.message}}},
               {"locations", Json::array({location_json(one)})},
               {"partialFingerprints", {{"warpledger/v1", fingerprint}}},
               {"properties", {{"subject", one.subject}}}};
  if (one.saving > 0) json["properties"]["saving"] = one.saving;
  return json;
}

}  // namespace

std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=@/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path.starts_with("./") ? path.substr(2) : path) {
    const auto code = static_cast<unsigned char>(c);
    const bool is_plain =
        (code < 0x80 && std::isalnum(code) != 0) || kPlain.find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", code);
  }
  return uri;
}

std::string to_sarif(const std::vector<Annotation>& all, const std::string& version) {
  const std::vector<std::string> ids = rules_of(all);
  Json rules = Json::array(), results = Json::array();
  for (const std::string& id : ids) rules.push_back(rule_json(id));
  const std::vector<std::string> fingerprints = fingerprints_of(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto rule = std::lower_bound(ids.begin(), ids.end(), all[i].rule) - ids.begin();
    results.push_back(result_json(all[i], fingerprints[i], static_cast<size_t>(rule)));
  }
  const Json driver = {{"name", "warpledger"}, {"version", version}, {"rules", std::move(rules)}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", std::move(results)}};
  const Json log = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpledger::ci
