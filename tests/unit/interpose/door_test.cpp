#include <gmock/gmock.h>

#include "interpose/error.h"
#include "interpose/program.h"
#include "interpose/settings.h"
#include "interpose/timeline.h"

namespace warpledger::cuda {
namespace {

using ::testing::HasSubstr;

TEST(Timeline, WorkOfOneStreamFollowsItself) {
  Timeline timeline;
  Stream* stream = timeline.create(1, 0);
  Event before, after;
  timeline.record(before, *stream);
  timeline.add(*stream, Lane::kToDevice, 2, "work");
  timeline.add(*stream, Lane::kKernel, 3, "work");
  timeline.record(after, *stream);
  EXPECT_DOUBLE_EQ(after.time - before.time, 5);
  EXPECT_TRUE(timeline.destroy(stream));
  EXPECT_FALSE(timeline.knows(stream));
}

TEST(Timeline, CopiesOverlapKernelsOfOtherStreamsAndKernelsDoNot) {
  Timeline timeline;
  Stream *a = timeline.create(1, 0), *b = timeline.create(1, 0);
  timeline.add(*a, Lane::kKernel, 4, "work");
  timeline.add(*b, Lane::kToDevice, 1, "work");
  EXPECT_DOUBLE_EQ(b->ready, 1);
  timeline.add(*b, Lane::kKernel, 2, "work");
  EXPECT_DOUBLE_EQ(b->ready, 6);
}

TEST(Timeline, TheDefaultStreamWaitsForAll) {
  Timeline timeline;
  Stream* stream = timeline.create(0, 0);
  timeline.add(*stream, Lane::kKernel, 4, "work");
  timeline.add(timeline.standard(), Lane::kToDevice, 1, "work");
  EXPECT_DOUBLE_EQ(timeline.standard().ready, 5);
}

TEST(Program, TheStaticRuntimeIsToldHowToBeRebuilt) {
  const Status status =
      check_program("app", {.is_elf = true, .registers_kernels = true, .needs = {"libc.so.6"}});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().hint, HasSubstr("NVCC_APPEND_FLAGS=\"-cudart shared\""));
  EXPECT_TRUE(check_program(
                  "app", {.is_elf = true, .registers_kernels = true, .needs = {"libcudart.so.13"}})
                  .ok());
  EXPECT_FALSE(inspect_program("#!/bin/sh\n").is_elf);
}

TEST(Program, RuntimesOfCuda12And13AreKnownAndOthersNamed) {
  const auto needing = [](const char* runtime) {
    return ProgramFacts{.is_elf = true, .registers_kernels = true, .needs = {"libc.so.6", runtime}};
  };
  EXPECT_EQ(runtime_of(needing("libcudart.so.12")), "libcudart.so.12");
  EXPECT_TRUE(check_program("app", needing("libcudart.so.12")).ok());
  const Status status = check_program("app", needing("libcudart.so.11.0"));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("libcudart.so.11.0"));
}

TEST(Faults, HaveTheNumbersOfCuda) {
  EXPECT_EQ(error_of({.message = "", .code = "out-of-bounds"}), Error::kIllegalAddress);
  EXPECT_EQ(error_of({.message = "", .code = "unknown-kernel"}), std::nullopt);
  EXPECT_EQ(refusal_error({.message = "", .code = "no-ptx"}, Error::kInvalidPtx), Error::kNoBinary);
  EXPECT_EQ(refusal_error({.message = "", .code = "other"}, Error::kInvalidPtx),
            Error::kInvalidPtx);
}

}  // namespace
}  // namespace warpledger::cuda
