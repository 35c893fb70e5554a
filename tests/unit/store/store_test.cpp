#include "warpledger/store/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "tests/support/law.h"
#include "tests/unit/store/folder.h"
#include "warpledger/base/file.h"
#include "warpledger/store/database.h"
#include "warpledger/store/key.h"

namespace warpledger::store {
namespace {

using testing::Folder;
namespace fs = std::filesystem;

Store opened(const std::string& path, uint64_t limit = kDefaultLimit) {
  Result<Store> store = Store::open({.path = path, .limit_bytes = limit});
  EXPECT_TRUE(store.ok()) << store.error().message;
  return *std::move(store);
}

std::optional<std::string> found(Store& store, const std::string& key) {
  const auto value = store.find(key);
  EXPECT_TRUE(value.ok());
  return value.ok() ? *value : std::nullopt;
}

/// The store as a list, youngest last.
class Model {
 public:
  explicit Model(uint64_t limit) : limit_(limit) {}
  std::optional<std::string> find(const std::string& key) {
    const auto at = place(key);
    if (at == entries_.end()) return {};
    std::rotate(at, at + 1, entries_.end());
    return entries_.back().second;
  }
  void put(const std::string& key, const std::string& value) {
    if (const auto at = place(key); at != entries_.end()) entries_.erase(at);
    entries_.emplace_back(key, value);
    while (bytes() > limit_) entries_.erase(entries_.begin());
  }
  [[nodiscard]] uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto& [key, value] : entries_) sum += value.size();
    return sum;
  }
  [[nodiscard]] size_t size() const { return entries_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>>::iterator place(const std::string& key) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const auto& one) { return one.first == key; });
  }
  uint64_t limit_;
  std::vector<std::pair<std::string, std::string>> entries_;
};

LAW_ROUNDS(Store, IsAListThatForgetsTheOldest, 30) {
  const Folder folder;
  const auto limit = static_cast<uint64_t>(rng.between(20, 400));
  Store store = opened(folder.file("s"), limit);
  Model model(limit);
  for (int64_t n = rng.between(1, 2 * rng.size()); n > 0; --n) {
    const std::string key = "k" + std::to_string(rng.between(0, 9));
    if (rng.coin()) {
      EXPECT_EQ(found(store, key), model.find(key));
    } else {
      std::string value(static_cast<size_t>(rng.between(0, 60)), '\0');
      for (char& c : value) c = static_cast<char>(rng.bits());
      const Status kept = store.put(key, value);
      EXPECT_EQ(kept.ok(), value.size() <= limit);
      if (kept.ok()) model.put(key, value);
    }
    if (rng.between(0, 9) == 0) store = opened(folder.file("s"), limit);
  }
  const Result<StoreInfo> info = store.info();
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->bytes, model.bytes());
  EXPECT_EQ(info->entries, model.size());
  EXPECT_LE(info->bytes, limit);
}

TEST(Store, ClearForgetsEverythingAndShrinksTheFile) {
  const Folder folder;
  Store store = opened(folder.file("s"));
  ASSERT_TRUE(store.put("a", std::string(1'000'000, 'x')).ok());
  ASSERT_TRUE(store.clear().ok());
  EXPECT_EQ(found(store, "a"), std::nullopt);
  EXPECT_EQ(store.info()->entries, 0u);
  EXPECT_LT(store.info()->file_bytes, 100'000u);
}

TEST(Store, AFileThatIsNoDatabaseIsSetAside) {
  const Folder folder;
  ASSERT_TRUE(write_file(folder.file("s"), "this is no database at all, " + std::string(900, 'x')));
  Store store = opened(folder.file("s"));
  ASSERT_EQ(store.set_aside().size(), 1u);
  EXPECT_EQ(read_file(store.set_aside().front())->substr(0, 4), "this");
  EXPECT_TRUE(store.put("a", "1").ok());
  EXPECT_EQ(found(store, "a"), "1");
}

TEST(Store, AnotherProgramsDatabaseIsLeftAlone) {
  const Folder folder;
  sqlite3* theirs = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("s").c_str(), &theirs), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(theirs, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(theirs);
  const Result<Store> store = Store::open({.path = folder.file("s")});
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("another program"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder.file("s") + ".broken-1"));
}

// Whatever happens to the bytes of the file: no crash, and no value that was not stored.
LAW_ROUNDS(Store, ADamagedFileGivesNoWrongAnswer, 40) {
  const Folder folder;
  std::map<std::string, std::string> put;
  {
    Store store = opened(folder.file("s"));
    for (int i = 0; i < 30; ++i) {
      const std::string key = "k" + std::to_string(i);
      put[key] = std::string(static_cast<size_t>(rng.between(0, 3000)), static_cast<char>('a' + i));
      ASSERT_TRUE(store.put(key, put[key]).ok());
    }
  }
  if (rng.coin()) {  // else all of it is still in the log
    Code code = SQLITE_OK;
    const auto database = Database::open(folder.file("s"), code);
    ASSERT_EQ(database->run("PRAGMA wal_checkpoint(TRUNCATE)"), SQLITE_OK);
  }
  const std::string part = folder.file(fs::file_size(folder.file("s-wal")) > 0 ? "s-wal" : "s");
  std::string bytes = *read_file(part);
  for (int64_t n = rng.between(1, 20); n > 0; --n) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(bytes.size()) - 1));
    bytes[at] = static_cast<char>(rng.bits());
    if (rng.between(0, 30) == 0) bytes.resize(at + 1);
  }
  ASSERT_TRUE(write_file(part, bytes).ok());
  Result<Store> store = Store::open({.path = folder.file("s")});
  if (!store.ok()) return;  // its mark was hit: it could be anybody's
  for (const auto& [key, value] : put) {
    const auto read = store->find(key);
    const bool is_there = read.ok() && read->has_value();
    EXPECT_EQ(is_there ? **read : value, value);
  }
  static_cast<void>(store->put("new", "value"));
  static_cast<void>(store->clear());
}

TEST(Store, SeveralThreadsMayShareOne) {
  const Folder folder;
  Store store = opened(folder.file("s"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&store, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string key = std::to_string(t) + "." + std::to_string(i);
        EXPECT_TRUE(store.put(key, key).ok());
        EXPECT_EQ(found(store, key), key);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.info()->entries, 100u);
}

TEST(Store, AFolderThatCannotBeMadeIsSaid) {
  const Result<Store> store = Store::open({.path = "/proc/nobody/store"});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, "store");
}

LAW(Key, DiffersWhenAnyFieldDoes) {
  const std::string a(static_cast<size_t>(rng.between(0, 20)), 'x');
  const std::string b(static_cast<size_t>(rng.between(0, 20)), 'x');
  const auto key = [](const std::string& x, const std::string& y) {
    return Key("test 1").add("x", x).add("y", y).hex();
  };
  EXPECT_EQ(key(a, b), key(a, b));
  EXPECT_EQ(key(a, b) == key(b, a), a == b);  // what moves from one field to the next is another
  EXPECT_NE(Key("test 1").add("x", a).hex(), Key("test 2").add("x", a).hex());
  EXPECT_NE(Key("test 1").add("x", a).hex(), Key("test 1").add("y", a).hex());
}

TEST(Key, KnowsTheBuild) { EXPECT_GE(build_identity().size(), 16u); }

}  // namespace
}  // namespace warpledger::store
