#include "warpledger/ci/code_quality.h"

#include <nlohmann/json.hpp>

namespace warpledger::ci {
namespace {

using Json = nlohmann::ordered_json;

const char* severity_of(Level level) {
  return level == Level::kError ? "critical" : level == Level::kWarning ? "major" : "info";
}

}  // namespace

std::string to_code_quality(const std::vector<Annotation>& all) {
  const std::vector<std::string> fingerprints = fingerprints_of(all);
  Json report = Json::array();
  for (size_t i = 0; i < all.size(); ++i) {
    const Annotation& one = all[i];
    const std::string path = one.path.starts_with("./") ? one.path.substr(2) : one.path;
    report.push_back({{"description", one.message},
                      {"check_name", one.rule},
                      {"fingerprint", fingerprints[i]},
                      {"severity", severity_of(one.level)},
                      {"location", {{"path", path}, {"lines", {{"begin", one.line}}}}}});
  }
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpledger::ci
