#include "warpledger/store/store.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "warpledger/base/hash.h"
#include "warpledger/store/database.h"
#include "warpledger/store/remote/url.h"

namespace warpledger::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParts[] = {"", "-wal", "-shm"};  // of a database, beside each other
constexpr const char* kSum = "SELECT count(*), coalesce(sum(bytes), 0) FROM entry";

/// Processes open a file side by side (LOCK_SH); the one that sets it aside is alone (LOCK_EX).
/// Without it a process could begin a new file while the old one's log is still being renamed, and
/// lose its own log that way.
class Lock {
 public:
  Lock(const std::string& path, int mode)
      : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ >= 0) static_cast<void>(::flock(file_, mode));
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  int file_;
};

Diagnostic failure(const std::string& path, Code code) {
  const bool foreign = code == SQLITE_AUTH;
  return {.message = fmt::format("the store '{}' cannot be used: {}", path,
                                 foreign ? "another program's database" : sqlite3_errstr(code)),
          .hint = foreign ? "name another file in WARPLEDGER_STORE" : "",
          .code = "store"};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

class Store::Impl {
 public:
  explicit Impl(StoreOptions options) : options_(std::move(options)) {}

  Status open() {
    if (!options_.remote.url.empty()) {
      WL_TRY(remote_, Remote::open(options_.remote));
    }
    std::error_code failed;
    const fs::path folder = fs::path(options_.path).parent_path();
    if (!folder.empty() && fs::create_directories(folder, failed)) {
      fs::permissions(folder, fs::perms::owner_all, failed);
    }
    if (failed && !fs::exists(folder))
      return Diagnostic{.message = fmt::format("the store '{}' cannot be used: {}", options_.path,
                                               failed.message()),
                        .code = "store"};
    return attempt([](Database&) { return SQLITE_OK; });
  }

  /// Calls work(database); if the file is damaged, calls it again on a new file.
  template <class Work>
  Status attempt(Work work) {
    const std::lock_guard guard(mutex_);
    Code code = SQLITE_OK;
    for (int i = 0; i < 2; ++i) {
      if (!database_) code = open_database();
      if (database_) code = work(*database_);
      if (!is_damage(code)) break;
      database_ = nullptr;
      replace_file();
    }
    if (!database_ || (code != SQLITE_OK && code != SQLITE_DONE)) return failure(path(), code);
    return {};
  }

  [[nodiscard]] const std::string& path() const { return options_.path; }
  [[nodiscard]] uint64_t limit() const { return options_.limit_bytes; }
  [[nodiscard]] const std::vector<std::string>& set_aside() const { return set_aside_; }
  [[nodiscard]] Remote* remote() const { return remote_.get(); }

 private:
  [[nodiscard]] Lock lock(int mode) const { return {options_.path + ".lock", mode}; }

  Code open_database() {
    const Lock held = lock(LOCK_SH);
    Code code = SQLITE_OK;
    database_ = Database::open(options_.path, code);
    return code;
  }

  /// What another process began meanwhile is not ours to move, nor is what cannot be read now.
  [[nodiscard]] bool is_damaged() const {
    Code code = SQLITE_OK;
    const auto opened = Database::open(options_.path, code);
    if (!opened) return is_damage(code);
    Statement check(*opened, "PRAGMA quick_check(1)");
    code = check.step();
    return code == SQLITE_ROW ? check.bytes(0) != "ok" : is_damage(code);
  }

  void replace_file() {
    const Lock held = lock(LOCK_EX);
    if (!is_damaged()) return;
    std::error_code failed;
    std::string name;
    int number = 1;
    do {
      name = fmt::format("{}.broken-{}", options_.path, number++);
    } while (fs::exists(name, failed));
    for (const char* part : kParts) fs::rename(options_.path + part, name + part, failed);
    set_aside_.push_back(name);
  }

  StoreOptions options_;
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Remote> remote_;
  std::vector<std::string> set_aside_;
};

namespace {

Code remove_entry(Database& database, const std::string& key) {
  return Statement(database, "DELETE FROM entry WHERE key = ?").bind(key).step();
}

/// Nothing, or what is under the key and is as it was written.
Code read_entry(Database& database, const std::string& key, std::optional<std::string>& value) {
  std::string hash;
  {
    Statement select(database, "SELECT value, hash FROM entry WHERE key = ?");
    const Code code = select.bind(key).step();
    if (code != SQLITE_ROW) return code;
    value = select.bytes(0);
    hash = select.bytes(1);
  }
  if (sha256(*value) == hash) return SQLITE_OK;
  value.reset();
  return remove_entry(database, key);
}

Code make_youngest(Database& database, const std::string& key) {
  Statement update(database,
                   "UPDATE entry SET used = (SELECT max(used) + 1 FROM entry) "
                   "WHERE key = ? AND used < (SELECT max(used) FROM entry)");
  return update.bind(key).step();
}

/// Removes the oldest until the rest is within the limit.
Code make_room(Database& database, uint64_t limit) {
  std::vector<std::string> old;
  {
    Statement sum(database, kSum);
    if (const Code code = sum.step(); code != SQLITE_ROW) return code;
    auto total = static_cast<uint64_t>(sum.number(1));
    Statement by_age(database, "SELECT bytes, key FROM entry ORDER BY used");
    while (total > limit) {
      if (const Code code = by_age.step(); code != SQLITE_ROW) return code;
      total -= static_cast<uint64_t>(by_age.number(0));
      old.push_back(by_age.bytes(1));
    }
  }
  for (const std::string& key : old) {
    if (const Code code = remove_entry(database, key); code != SQLITE_DONE) return code;
  }
  return SQLITE_OK;
}

Code write_entry(Database& database, const std::string& key, const std::string& value,
                 uint64_t limit) {
  const std::string hash = sha256(value);
  Transaction transaction(database);
  if (transaction.begun() != SQLITE_OK) return transaction.begun();
  {
    Statement insert(database,
                     "INSERT OR REPLACE INTO entry(key, used, bytes, hash, value) "
                     "VALUES (?, (SELECT coalesce(max(used), 0) + 1 FROM entry), ?, ?, ?)");
    insert.bind(key).bind(static_cast<int64_t>(value.size())).bind(hash).bind_bytes(value);
    if (const Code code = insert.step(); code != SQLITE_DONE) return code;
  }
  if (const Code code = make_room(database, limit); code != SQLITE_OK) return code;
  return transaction.commit();
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const StoreOptions& options) {
  auto impl = std::make_unique<Impl>(options);
  WL_TRY_STATUS(impl->open());
  return Store(std::move(impl));
}

Result<std::optional<std::string>> Store::find(const std::string& key) {
  std::optional<std::string> value;
  WL_TRY_STATUS(impl_->attempt([&](Database& database) {
    value.reset();
    if (const Code code = read_entry(database, key, value); code != SQLITE_OK) return code;
    // An entry that stays old because somebody else writes is still a good answer.
    const Code code = make_youngest(database, key);
    return is_damage(code) ? code : SQLITE_OK;
  }));
  if (value || impl_->remote() == nullptr) return value;
  value = impl_->remote()->find(key);
  // What cannot be kept here is found there again.
  if (value && value->size() <= impl_->limit()) static_cast<void>(write(key, *value));
  return value;
}

Status Store::put(const std::string& key, const std::string& value) {
  if (value.size() > impl_->limit()) {
    return Diagnostic{.message = fmt::format("{} bytes exceed the store's limit of {}",
                                             value.size(), impl_->limit()),
                      .code = "store-limit"};
  }
  WL_TRY_STATUS(write(key, value));
  if (impl_->remote() != nullptr) impl_->remote()->put(key, value);
  return {};
}

Status Store::write(const std::string& key, const std::string& value) {
  return impl_->attempt(
      [&](Database& database) { return write_entry(database, key, value, impl_->limit()); });
}

Status Store::remove(const std::string& key) {
  return impl_->attempt([&](Database& database) { return remove_entry(database, key); });
}

Status Store::clear() {
  return impl_->attempt([](Database& database) {
    return database.run("DELETE FROM entry; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
  });
}

Result<StoreInfo> Store::info() {
  StoreInfo info{.path = impl_->path(), .limit_bytes = impl_->limit()};
  WL_TRY_STATUS(impl_->attempt([&](Database& database) {
    Statement sum(database, kSum);
    const Code code = sum.step();
    if (code != SQLITE_ROW) return code;
    info.entries = static_cast<uint64_t>(sum.number(0));
    info.bytes = static_cast<uint64_t>(sum.number(1));
    return SQLITE_OK;
  }));
  if (impl_->remote() != nullptr) info.remote = impl_->remote()->statistics();
  for (const char* part : kParts) {
    std::error_code failed;
    const auto size = fs::file_size(impl_->path() + part, failed);
    if (!failed) info.file_bytes += size;
  }
  return info;
}

const std::vector<std::string>& Store::set_aside() const { return impl_->set_aside(); }

std::optional<RemoteStatistics> Store::remote() const {
  if (impl_->remote() == nullptr) return {};
  return impl_->remote()->statistics();
}

namespace {

std::string default_path() {
  constexpr const char* kName = "/warpledger/store-1.sqlite";
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + kName;
  const std::string home = variable("HOME");
  return home.empty() ? home : home + "/.cache" + kName;
}

}  // namespace

StoreOptions default_store_options() {
  const std::string said = variable("WARPLEDGER_STORE");
  const size_t blank = said.rfind(' ');
  const std::string last = blank == std::string::npos ? said : said.substr(blank + 1);
  StoreOptions options{.path = said};
  if (is_remote_url(last)) {
    options.remote = {.url = last, .secret = variable("WARPLEDGER_STORE_KEY")};
    options.path = blank == std::string::npos ? "" : said.substr(0, blank);
  }
  if (options.path.empty()) options.path = default_path();
  return options;
}

}  // namespace warpledger::store
