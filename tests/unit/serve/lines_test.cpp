#include "warpledger/serve/lines.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <thread>

#include "tests/support/law.h"

namespace warpledger::serve {
namespace {

using std::chrono::microseconds;

std::string answered(const std::string& text, uint32_t jobs, const LineFunction& answer) {
  std::istringstream in(text);
  std::ostringstream out;
  answer_lines(in, out, jobs, answer);
  return out.str();
}

LAW_ROUNDS(AnswerLines, OrderIsThatOfTheLinesWhateverTakesLong, 20) {
  std::string text, expected;
  for (int64_t i = rng.between(0, 60); i > 0; --i) {
    const std::string line = std::to_string(rng.between(1, 300));
    text += line + (rng.coin() ? "\n" : "\n\n");  // empty lines are not requests
    expected += "<" + line + ">\n";
  }
  const auto jobs = static_cast<uint32_t>(rng.between(1, 5));
  EXPECT_EQ(answered(text, jobs,
                     [](const std::string& line) {
                       std::this_thread::sleep_for(microseconds(std::stoi(line)));
                       return "<" + line + ">";
                     }),
            expected);
}

TEST(AnswerLines, AtMostSoManyAtATime) {
  std::atomic<int> now = 0, most = 0;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "x\n";
  const std::string out = answered(text, 3, [&](const std::string&) {
    int seen = ++now, before = most;
    while (seen > before && !most.compare_exchange_weak(before, seen)) {
    }
    std::this_thread::sleep_for(microseconds(200));
    --now;
    return std::string("y");
  });
  EXPECT_EQ(out.size(), 80U);
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 2);
}

TEST(AnswerLines, ASlowLineDoesNotLetTheOthersPileUp) {
  std::atomic<int> begun = 0;
  std::string text = "slow\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  int while_slow = 0;
  static_cast<void>(answered(text, 2, [&](const std::string& line) {
    ++begun;
    if (line == "slow") {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      while_slow = begun;
    }
    return std::string();
  }));
  EXPECT_EQ(begun, 1001);
  EXPECT_LE(while_slow, 16);
}

}  // namespace
}  // namespace warpledger::serve
