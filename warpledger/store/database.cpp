#include "warpledger/store/database.h"

#include <chrono>
#include <thread>

namespace warpledger::store {
namespace {

constexpr int kPatienceMilliseconds = 10'000;  // for another process's transaction
constexpr int kAttempts = 200;                 // to open, while others do the same
constexpr int64_t kApplication = 0x574c5331;   // "WLS1" in the file's header: it is ours

// The log (WAL) lets readers go on while one writes, and survives a kill at any moment: what has
// been committed is in it, what has not is ignored. NORMAL syncs it at checkpoints only: a power
// cut may lose the last entries, never the file.
constexpr const char* kSetUp =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "PRAGMA journal_size_limit = 4194304;"
    "PRAGMA application_id = 0x574c5331;"
    "CREATE TABLE IF NOT EXISTS entry("
    "  key TEXT PRIMARY KEY, used INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    "  hash TEXT NOT NULL, value BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS entry_by_use ON entry(used, bytes);";

Code read_number(Database& database, const char* pragma, int64_t& number) {
  Statement statement(database, pragma);
  const Code code = statement.step();
  if (code == SQLITE_ROW) number = statement.number(0);
  return code == SQLITE_ROW ? SQLITE_OK : code;
}

/// SQLITE_AUTH for somebody else's database: ours is marked, or still empty.
Code check_owner(Database& database) {
  int64_t pages = 0, application = 0;
  if (const Code code = read_number(database, "PRAGMA page_count", pages); code != SQLITE_OK) {
    return code;
  }
  if (pages == 0) return SQLITE_OK;
  const Code code = read_number(database, "PRAGMA application_id", application);
  if (code != SQLITE_OK) return code;
  if (application == kApplication) return SQLITE_OK;
  int64_t tables = 0;  // killed before the mark was made
  const Code counted = read_number(database, "SELECT count(*) FROM sqlite_master", tables);
  if (counted != SQLITE_OK) return counted;
  return tables == 0 ? SQLITE_OK : SQLITE_AUTH;
}

/// SQLite does not wait where two processes set up the same new file: it would be a deadlock.
Code set_up(Database& database) {
  Code code = SQLITE_OK;
  for (int i = 0; i < kAttempts; ++i) {
    code = check_owner(database);
    if (code == SQLITE_OK) code = database.run(kSetUp);
    if ((code & 0xff) != SQLITE_BUSY) return code;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return code;
}

}  // namespace

std::unique_ptr<Database> Database::open(const std::string& path, Code& code) {
  std::unique_ptr<Database> made(new Database);
  code =
      sqlite3_open_v2(path.c_str(), &made->handle_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  if (code != SQLITE_OK) return nullptr;
  sqlite3_busy_timeout(made->handle_, kPatienceMilliseconds);
  // The text of a damaged file's own schema is not to be trusted.
  sqlite3_db_config(made->handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(made->handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // The log is folded into the file when it is long, not whenever a process ends: a lone answer
  // then waits for no disk.
  sqlite3_db_config(made->handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  code = set_up(*made);
  return code == SQLITE_OK ? std::move(made) : nullptr;
}

Code Database::run(const char* sql) {
  return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
}

Statement::Statement(Database& database, const char* sql)
    : fault_(sqlite3_prepare_v2(database.handle(), sql, -1, &handle_, nullptr)) {}

Statement& Statement::bind(std::string_view text) {
  if (fault_ != SQLITE_OK) return *this;
  fault_ =
      sqlite3_bind_text64(handle_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_bytes(std::string_view bytes) {
  if (fault_ != SQLITE_OK) return *this;
  // A null pointer would bind NULL rather than no bytes.
  const char* from = bytes.empty() ? "" : bytes.data();
  fault_ = sqlite3_bind_blob64(handle_, ++bound_, from, bytes.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind(int64_t number) {
  if (fault_ == SQLITE_OK) fault_ = sqlite3_bind_int64(handle_, ++bound_, number);
  return *this;
}

Code Statement::step() { return fault_ != SQLITE_OK ? fault_ : sqlite3_step(handle_); }

std::string Statement::bytes(int column) {
  const void* from = sqlite3_column_blob(handle_, column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(handle_, column));
  return from == nullptr ? std::string() : std::string(static_cast<const char*>(from), size);
}

}  // namespace warpledger::store
