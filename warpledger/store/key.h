// What a result follows from, as a key. Fields are named and hashed one by one, so that no two
// different lists of fields run together.
#pragma once

#include <string>
#include <string_view>

namespace warpledger::store {

class Key {
 public:
  /// `kind`: what is kept, with a number that rises when its form changes: "profile 1". The build
  /// of this program is part of every key: another build may answer otherwise.
  explicit Key(std::string_view kind);

  Key& add(std::string_view name, std::string_view value);
  Key& add(std::string_view name, uint64_t value);
  /// 64 hexadecimal digits.
  [[nodiscard]] std::string hex() const;

 private:
  std::string fields_;  // name, hash of value; each on its line
};

/// The linker's build id of the program or library that this code is part of: another after every
/// change of it. Empty when it has none; nothing can be kept then.
[[nodiscard]] std::string build_identity();

/// What tells one version of a file from another without reading it: its path, size and time.
/// Empty when it is not there.
[[nodiscard]] std::string file_identity(const std::string& path);

}  // namespace warpledger::store
