// Any bytes: budgets or a Diagnostic; a limit that is read gives an answer, and reads again.
#include <cstdint>
#include <string>

#include "warpledger/profile/limits/file.h"
#include "warpledger/profile/limits/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  using namespace warpledger::profile;
  static const Profile profile = [] {
    Profile made;
    made.gpu = *find_gpu("a100");
    made.statistics = *launch_statistics(made.gpu, made.launch);
    return made;
  }();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto budgets = budget::parse_budgets(Source("input", text));
  if (!budgets) return static_cast<void>(to_text(budgets.error())), 0;
  std::vector<budget::Checked> all;
  for (const budget::Budget& one : *budgets) {
    for (const auto& [limit, at] : one.limits) {
      const auto again = budget::parse_limit(Source("again", limit.text));
      WL_CHECK(again && again->text == limit.text);
      all.push_back({one.name, "k", at, one.file, judge(limit, profile, {}, "k")});
    }
  }
  static_cast<void>(budget::to_junit(all, "t") + budget::to_github(all) + budget::breaches(all));
  return 0;
}
