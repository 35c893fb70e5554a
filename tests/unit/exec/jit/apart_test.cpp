// Work in a process of its own: its answer, its failure, and its end at the deadline.
#include "warpledger/exec/jit/runtime/apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace warpledger::exec::jit {
namespace {

Deadline in(double seconds) {
  Deadline deadline;
  deadline.start(seconds);
  return deadline;
}

TEST(Apart, GivesTheAnswerWhole) {
  const std::string long_text(1 << 20, '\n');
  const auto answer = run_apart(in(60), [&]() -> Result<std::string> { return long_text; });
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(*answer, long_text);
}

TEST(Apart, GivesTheFailure) {
  const auto answer = run_apart(in(60), []() -> Result<std::string> {
    return Diagnostic{
        .message = "a\nb", .code = "jit-unsupported", .fallback = Fallback::kInterpreter};
  });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "a\nb");
  EXPECT_EQ(answer.error().code, "jit-unsupported");
  EXPECT_EQ(answer.error().fallback, Fallback::kInterpreter);
}

TEST(Apart, ACrashIsAFailureOfTheWorkAlone) {
  const auto answer = run_apart(in(60), []() -> Result<std::string> { _exit(3); });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, "jit-failed");
}

TEST(Apart, EndsAtTheDeadline) {
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = run_apart(in(0.2), []() -> Result<std::string> {
    for (;;) pause();
  });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, kTimeLimit);
  EXPECT_EQ(answer.error().fallback, Fallback::kMoreTime);
  EXPECT_NE(answer.error().message.find("being compiled"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

}  // namespace
}  // namespace warpledger::exec::jit
