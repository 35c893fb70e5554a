#include "warpledger/serve/workers.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace warpledger::serve {
namespace {

/// "pid": the worker's; "die": it does; anything else comes back.
std::unique_ptr<Workers> start(uint32_t count) {
  auto made = Workers::start(
      count,
      [] {
        return [lines = 0](const std::string& line) mutable -> std::string {
          ++lines;
          if (line == "pid") return std::to_string(getpid());
          if (line == "lines") return std::to_string(lines);
          if (line == "die") kill(getpid(), SIGKILL);
          return line;
        };
      },
      [](int signal) { return "died of " + std::to_string(signal); });
  EXPECT_TRUE(made);
  return std::move(*made);
}

bool is_there(const std::string& process) { return kill(std::stoi(process), 0) == 0; }

TEST(Workers, AnswerInAProcessOfTheirOwn) {
  const auto workers = start(1);
  EXPECT_NE(workers->answer("pid"), std::to_string(getpid()));
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(workers->answer(large), large);
  EXPECT_EQ(workers->answer(""), "");
}

TEST(Workers, KeepWhatTheyHaveBetweenLines) {
  const auto workers = start(1);
  EXPECT_EQ(workers->answer("lines"), "1");
  EXPECT_EQ(workers->answer("lines"), "2");
}

TEST(Workers, AnswerThreadsSideBySide) {
  const auto workers = start(3);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 50; ++j) {
        const std::string line = std::to_string(1000 * i + j);
        wrong += workers->answer(line) == line ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Workers, OneThatDiesSaysSoAndAnotherTakesItsPlace) {
  const auto workers = start(1);
  const std::string before = workers->answer("pid");
  EXPECT_EQ(workers->answer("die"), "died of 9");
  EXPECT_EQ(workers->answer("a"), "a");
  EXPECT_NE(workers->answer("pid"), before);
}

TEST(Workers, OneThatDiesBetweenLinesMixesNoAnswersUp) {
  const auto workers = start(1);
  const pid_t first = std::stoi(workers->answer("pid"));
  kill(first, SIGKILL);
  static_cast<void>(workers->answer("a"));  // its own answer, or that one died
  EXPECT_EQ(workers->answer("b"), "b");
  EXPECT_EQ(workers->answer("c"), "c");
}

TEST(Workers, EndWithWhoStartedThem) {
  std::string process;
  {
    const auto workers = start(2);
    process = workers->answer("pid");
    EXPECT_TRUE(is_there(process));
  }
  EXPECT_FALSE(is_there(process));
}

}  // namespace
}  // namespace warpledger::serve
