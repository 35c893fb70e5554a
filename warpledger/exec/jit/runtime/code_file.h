// Compiled code in files. What is read here is run as it is, so a file counts only where it can be
// nobody's work but this user's and this program's:
//   the folder and the file are this user's (or root's), and no other may write to them;
//   its checksum is that of its key and its bytes: a file under another key's name is refused too.
// The key holds the version of the sources and the processor's features (code_cache.cpp).
#pragma once

#include <optional>
#include <string>

namespace warpledger::exec::jit {

/// The object of that key; nothing when it is not there or not to be trusted.
[[nodiscard]] std::optional<std::string> read_code(const std::string& folder,
                                                   const std::string& key);

/// Keeps it, where that can be; makes the folder, for this user alone. A folder of this user's that
/// others may write to is closed to them.
void write_code(const std::string& folder, const std::string& key, const std::string& object);

/// Why code of the folder is not used: "others may write to '...'"; empty where nothing is wrong.
[[nodiscard]] std::string why_refused(const std::string& folder);

}  // namespace warpledger::exec::jit
