// The store under kill -9 and under several writers: processes, not threads.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/law.h"
#include "tests/unit/store/folder.h"
#include "warpledger/store/store.h"

namespace warpledger::store {
namespace {

using testing::Folder;

constexpr int kKills = 100;
constexpr useconds_t kLongestLife = 30'000;  // microseconds

std::string value_of(uint32_t number) {
  return std::to_string(number) + std::string(100 + number % 5000, 'v');
}

/// Puts first, first + 1, ... and says so of each through the pipe, until it is killed.
[[noreturn]] void write_until_killed(const std::string& path, uint32_t first, int pipe) {
  Result<Store> store = Store::open({.path = path});
  for (uint32_t n = first; store.ok(); ++n) {
    if (!store->put(std::to_string(n), value_of(n)).ok()) ::_exit(1);
    if (::write(pipe, &n, sizeof n) != sizeof n) ::_exit(1);
  }
  ::_exit(1);
}

/// The numbers that the killed child said it had put.
std::vector<uint32_t> life_and_death(const std::string& path, uint32_t first, useconds_t life) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) write_until_killed(path, first, ends[1]);
  ::close(ends[1]);
  ::usleep(life);
  ::kill(child, SIGKILL);
  std::vector<uint32_t> said;
  for (uint32_t n = 0; ::read(ends[0], &n, sizeof n) == sizeof n;) said.push_back(n);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));  // it never gave up by itself
  return said;
}

TEST(StoreKilled, LosesNothingThatWasPut) {
  const Folder folder;
  warpledger::testing::Rng rng(warpledger::testing::kLawSeed, 1);
  uint32_t first = 0;
  for (int i = 0; i < kKills; ++i) {
    const std::vector<uint32_t> said = life_and_death(
        folder.file("s"), first, static_cast<useconds_t>(rng.between(0, kLongestLife)));
    if (!said.empty()) first = said.back() + 1;
  }
  ASSERT_GT(first, 100u);
  Result<Store> store = Store::open({.path = folder.file("s")});
  ASSERT_TRUE(store.ok());
  for (uint32_t n = 0; n < first; ++n) {
    const auto value = store->find(std::to_string(n));
    ASSERT_TRUE(value.ok());
    ASSERT_EQ(*value, value_of(n)) << n;
  }
  EXPECT_TRUE(store->set_aside().empty());
  RecordProperty("entries", static_cast<int>(first));
}

TEST(StoreShared, ProcessesThatWriteAtOnceAllKeepTheirs) {
  const Folder folder;
  constexpr int kProcesses = 4, kEntries = 50;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool ok = true;
      for (int i = 0; i < kEntries && ok; ++i) {  // each opens the new file at the same moment
        Result<Store> store = Store::open({.path = folder.file("s")});
        const std::string key = std::to_string(p) + "." + std::to_string(i);
        ok = store.ok() && store->put(key, key).ok();
      }
      ::_exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Result<Store> store = Store::open({.path = folder.file("s")});
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->info()->entries, static_cast<uint64_t>(kProcesses * kEntries));
}

TEST(StoreShared, ProcessesThatFindADamagedFileSetItAsideOnce) {
  const Folder folder;
  { std::ofstream(folder.file("s")) << std::string(5000, 'x'); }
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      Result<Store> store = Store::open({.path = folder.file("s")});
      ::_exit(store.ok() && store->put(std::to_string(p), "v").ok() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("s.broken-1")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("s.broken-2")));
  Result<Store> store = Store::open({.path = folder.file("s")});
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->info()->entries, 4u);
}

}  // namespace
}  // namespace warpledger::store
