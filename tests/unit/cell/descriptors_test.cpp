#include "warpledger/cell/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace warpledger::cell {
namespace {

constexpr int kFirst = 700, kEnd = 710;

/// Which of kFirst to kEnd - 1 are open, after all of them were and `close` had its way.
std::vector<int> left_by(void (*close)(uint32_t, uint32_t), uint32_t first, uint32_t last) {
  for (int i = kFirst; i < kEnd; ++i) EXPECT_EQ(dup2(STDERR_FILENO, i), i);
  close(first, last);
  std::vector<int> left;
  for (int i = kFirst; i < kEnd; ++i) {
    if (fcntl(i, F_GETFD) >= 0) left.push_back(i);
    ::close(i);
  }
  return left;
}

TEST(Descriptors, ThoseOfTheRangeAreClosedAndNoOthers) {
  EXPECT_EQ(left_by(close_between, 702, 707), (std::vector{700, 701, 708, 709}));
}

TEST(Descriptors, OneAfterAnotherClosesTheSame) {
  EXPECT_EQ(left_by(close_each, 702, 707), (std::vector{700, 701, 708, 709}));
  EXPECT_EQ(left_by(close_each, 700, UINT32_MAX), std::vector<int>{});
}

TEST(Descriptors, AllButThoseThatAreKeptAreClosed) {
  // In a child process, since the test's own descriptors go, too.
  EXPECT_EXIT(
      {
        for (int i = kFirst; i < kEnd; ++i) dup2(STDERR_FILENO, i);
        close_all_but({706, STDERR_FILENO, 703, 704});
        int open = 0;
        for (int i = 0; i < 1024; ++i) open += fcntl(i, F_GETFD) >= 0 ? 1 : 0;
        const bool kept = fcntl(703, F_GETFD) >= 0 && fcntl(704, F_GETFD) >= 0 &&
                          fcntl(706, F_GETFD) >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0;
        _exit(kept && open == 4 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Descriptors, AnEmptyRangeClosesNothing) {
  EXPECT_EQ(left_by(close_between, 705, 704).size(), size_t{kEnd - kFirst});
}

}  // namespace
}  // namespace warpledger::cell
