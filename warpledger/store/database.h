// SQLite as this room uses it: a connection and its statements, closed by their destructors, faults
// as codes. Private to store/.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "warpledger/base/result.h"

namespace warpledger::store {

/// What SQLite answers: SQLITE_OK, _ROW, _DONE or a fault.
using Code = int;

/// The file itself is damaged, or no database at all.
[[nodiscard]] inline bool is_damage(Code code) {
  return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

class Database {
 public:
  /// Opens or makes the file and the table. Null and the code when that fails.
  [[nodiscard]] static std::unique_ptr<Database> open(const std::string& path, Code& code);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(handle_); }

  [[nodiscard]] Code run(const char* sql);
  [[nodiscard]] sqlite3* handle() { return handle_; }

 private:
  Database() = default;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  /// The next question mark's value. The bytes must outlive the statement.
  Statement& bind(std::string_view text);
  Statement& bind_bytes(std::string_view bytes);
  Statement& bind(int64_t number);

  /// SQLITE_ROW, SQLITE_DONE or a fault, also that of preparing and binding.
  [[nodiscard]] Code step();
  [[nodiscard]] std::string bytes(int column);
  [[nodiscard]] int64_t number(int column) { return sqlite3_column_int64(handle_, column); }

 private:
  sqlite3_stmt* handle_ = nullptr;
  Code fault_ = SQLITE_OK;
  int bound_ = 0;
};

/// Everything until commit(), or nothing. Taken for writing at once, so that two writers wait for
/// each other rather than fail half way.
class Transaction {
 public:
  explicit Transaction(Database& database)
      : database_(database), code_(database.run("BEGIN IMMEDIATE")) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (code_ == SQLITE_OK && !done_) static_cast<void>(database_.run("ROLLBACK"));
  }
  [[nodiscard]] Code begun() const { return code_; }
  [[nodiscard]] Code commit() {
    const Code code = database_.run("COMMIT");
    done_ = code == SQLITE_OK;
    return code;
  }

 private:
  Database& database_;
  Code code_;
  bool done_ = false;
};

}  // namespace warpledger::store
