#include "interpose/error.h"

#include <map>

#include "warpledger/exec/decode/launch.h"

namespace warpledger::cuda {
namespace {

using Dictionary = std::map<std::string_view, Error>;

const Dictionary& faults() {
  static const Dictionary words = {{"out-of-bounds", Error::kIllegalAddress},
                                   {"use-after-free", Error::kIllegalAddress},
                                   {"read-only-write", Error::kIllegalAddress},
                                   {"bad-free", Error::kIllegalAddress},
                                   {"misaligned-access", Error::kMisaligned},
                                   {"step-limit", Error::kTimeout},
                                   {exec::kTimeLimit, Error::kTimeout},
                                   {"barrier-deadlock", Error::kTimeout},
                                   {"ctas-wait-for-each-other", Error::kTimeout},
                                   {"lanes-never-come", Error::kTimeout},
                                   {"deadlock", Error::kTimeout},
                                   {"device-assert", Error::kAssert},
                                   {"unsupported-opcode", Error::kNotSupported},
                                   {"undefined-function", Error::kNotSupported},
                                   {"trap", Error::kLaunchFailure},
                                   {"stack-overflow", Error::kLaunchFailure},
                                   {"bad-mbarrier", Error::kLaunchFailure},
                                   {"bad-texture", Error::kLaunchFailure},
                                   {"bad-call", Error::kLaunchFailure}};
  return words;
}

const Dictionary& refusals() {
  static const Dictionary words = {{"bad-launch", Error::kInvalidConfiguration},
                                   {"out-of-memory", Error::kOutOfMemory},
                                   {"no-ptx", Error::kNoBinary},
                                   {"bad-fatbin", Error::kInvalidImage}};
  return words;
}

}  // namespace

std::optional<Error> error_of(const Diagnostic& fault) {
  const auto found = faults().find(fault.code);
  return found == faults().end() ? std::nullopt : std::optional(found->second);
}

Error refusal_error(const Diagnostic& refusal, Error otherwise) {
  const auto found = refusals().find(refusal.code);
  return found == refusals().end() ? otherwise : found->second;
}

}  // namespace warpledger::cuda
