#include "interpose/error.h"

#include "warpledger/exec/decode/launch.h"

namespace warpledger::cuda {
namespace {

struct Fault {
  const char* code;
  Error error;
};
constexpr Fault kFaults[] = {{"out-of-bounds", Error::kIllegalAddress},
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
                             {"bad-call", Error::kLaunchFailure}};

}  // namespace

std::optional<Error> error_of(const Diagnostic& diagnostic) {
  for (const Fault& fault : kFaults) {
    if (diagnostic.code == fault.code) return fault.error;
  }
  return {};
}

}  // namespace warpledger::cuda
