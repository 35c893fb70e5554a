// Any bytes: a limit or a Diagnostic inside the text; a limit that is read reads again.
#include <cstdint>
#include <string>

#include "warpledger/profile/limits/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpledger;
  using namespace warpledger::profile::budget;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Source source("input", text);
  const Result<Limit> limit = parse_limit(source);
  if (!limit) return static_cast<void>(to_text(limit.error())), 0;
  if (const Status names = check_names(*limit, source); !names) {
    static_cast<void>(to_text(names.error()));
  }
  const Result<Limit> again = parse_limit(Source("again", limit->text));
  WL_CHECK(again && again->text == limit->text && again->comparison == limit->comparison);
  WL_CHECK(again->left.size() == limit->left.size() && again->right.size() == limit->right.size());
  return 0;
}
