// The message for a program that has no code that runs here.
#include "interpose/unusable_code.h"

#include <gmock/gmock.h>

namespace warpledger::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Diagnostic said_of(std::vector<FatbinEntry> entries, int target) {
  UnusableCode code;
  for (const FatbinEntry& entry : entries) code.add(entry, target);
  return code.describe("app", target);
}

TEST(UnusableCode, PtxOfANewerArchitectureHasItsGpu) {
  const Diagnostic why = said_of({{.kind = CodeKind::kPtx, .architecture = 90},
                                  {.kind = CodeKind::kMachine, .architecture = 90}},
                                 80);
  EXPECT_EQ(why.message, "app has PTX for sm_90 only, which the profiled sm_80 cannot run");
  EXPECT_THAT(why.hint, HasSubstr("--gpu h100"));
}

TEST(UnusableCode, MachineCodeAloneIsToldNvccsFlags) {
  const Diagnostic why = said_of({{.kind = CodeKind::kMachine, .architecture = 80}}, 80);
  EXPECT_THAT(why.message, HasSubstr("machine code for sm_80 only"));
  EXPECT_THAT(why.hint, HasSubstr("-arch=sm_80"));
}

TEST(UnusableCode, ACubinIsToldOfLineInformation) {
  const Diagnostic why = said_of({{.kind = CodeKind::kMachine}}, 80);
  EXPECT_THAT(why.message, HasSubstr("is a cubin"));
  EXPECT_THAT(why.message, Not(HasSubstr("  ")));
  EXPECT_THAT(why.hint, HasSubstr("-lineinfo"));
  EXPECT_THAT(why.hint, HasSubstr("nvrtcGetPTX"));
}

}  // namespace
}  // namespace warpledger::cuda
