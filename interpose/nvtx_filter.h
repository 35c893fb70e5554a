// ncu's --nvtx-include and --nvtx-exclude: which open ranges of a program a kernel must lie in.
//
//   "A/"  "A/*/B"  "[A/+/B]"   push/pop ranges of the thread that launches; [ outermost, ]
//   innermost "A"   "A,B"                start/end ranges of the process, all of them open
//   "Domain@A/"                of that domain; "regex:Dom.*@A[0-9]/": names are expressions
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cuda {

/// Of one domain, by name.
struct OpenRanges {
  std::vector<std::string> pushed = {};   // of the thread, outermost first
  std::vector<std::string> started = {};  // of the process, in any order
};
using OpenDomains = std::map<std::string, OpenRanges>;  // "": the default domain

class NvtxFilter {
 public:
  /// Fails with "bad-nvtx-filter" if it is not such an expression.
  [[nodiscard]] static Result<NvtxFilter> parse(const std::string& text);

  [[nodiscard]] bool matches(const OpenDomains& open) const;

 private:
  enum class Step { kName, kOne, kAny };
  struct Part {
    Step step = Step::kName;
    profile::KernelPattern name = {};  // of kName
  };

  [[nodiscard]] bool matches_stack(const std::vector<std::string>& stack) const;
  [[nodiscard]] bool matches_at(const std::vector<std::string>& stack, size_t at,
                                size_t part) const;
  [[nodiscard]] bool matches_set(const std::vector<std::string>& started) const;

  profile::KernelPattern domain_ = {};
  bool is_stack_ = false;
  bool from_outermost_ = false, to_innermost_ = false;
  std::vector<Part> parts_ = {};
};

}  // namespace warpledger::cuda
