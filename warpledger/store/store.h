// store/: results kept by content, so that the same question costs nothing the second time. The
// room knows bytes under keys, and that files break: a process may be killed at any moment, two may
// write at once, a disk may lie. It must not know what the bytes mean.
//
//   key.h       what a result follows from -> its key
//   store.h     key -> bytes, in one SQLite file, and on a server behind it where one is named
//   remote/     the server: HTTP or Redis; what comes from there is believed only if it is proved
//   database.h  SQLite, private to the room
//
// A store never makes an answer wrong: what was not wholly written, or is not as it was written,
// is not there. A file that is not a store is renamed, and a new one is created.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "warpledger/base/result.h"
#include "warpledger/store/remote/remote.h"

namespace warpledger::store {

inline constexpr uint64_t kDefaultLimit = uint64_t{256} << 20;

struct StoreOptions {
  std::string path = {};  // of the file; its folder is made
  uint64_t limit_bytes = kDefaultLimit;
  RemoteOptions remote = {};  // a second tier; no address: none
};

struct StoreInfo {
  std::string path = {};
  uint64_t entries = 0;
  uint64_t bytes = 0;       // of values
  uint64_t file_bytes = 0;  // on the disk, the log included
  uint64_t limit_bytes = 0;
  std::optional<RemoteStatistics> remote = {};
};

/// For several threads and several processes.
class Store {
 public:
  /// Fails when the file cannot be opened or made.
  [[nodiscard]] static Result<Store> open(const StoreOptions& options);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// What was put under the key, as it was; nothing when it is not there any more. Finding makes an
  /// entry the youngest. What the file does not hold is asked of the server, and then kept here.
  [[nodiscard]] Result<std::optional<std::string>> find(const std::string& key);

  /// Post: ok and value.size() <= limit_bytes imply find(key) == value until it is the oldest and
  /// room is needed: the sum of all values never exceeds limit_bytes. A value beyond the limit
  /// fails with "store-limit". The server is sent the value later.
  [[nodiscard]] Status put(const std::string& key, const std::string& value);

  /// Forgets the entry, if there is one; a server keeps its own.
  [[nodiscard]] Status remove(const std::string& key);
  [[nodiscard]] Status clear();
  [[nodiscard]] Result<StoreInfo> info();

  /// The new names of files that were not stores, by this object.
  [[nodiscard]] const std::vector<std::string>& set_aside() const;
  /// What became of questions to the server; nothing where none is named.
  [[nodiscard]] std::optional<RemoteStatistics> remote() const;

 private:
  class Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  [[nodiscard]] Status write(const std::string& key, const std::string& value);
  std::unique_ptr<Impl> impl_;
};

/// Where results are kept when nobody says otherwise: $WARPLEDGER_STORE, which is the path of a
/// file, the address of a server (remote/url.h), or both with a blank between; the file else is
/// store-1.sqlite in the user's cache folder for warpledger. No path when there is neither.
/// $WARPLEDGER_STORE_KEY is the secret that signs what is on the server.
[[nodiscard]] StoreOptions default_store_options();

}  // namespace warpledger::store
