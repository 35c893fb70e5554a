#include "warpledger/exec/jit/runtime/code_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "warpledger/base/hash.h"

namespace warpledger::exec::jit {
namespace {

constexpr std::string_view kHeader = "warpledger code 2\n";
constexpr size_t kDigits = 64;  // of a SHA-256
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

std::string path_of(const std::string& folder, const std::string& key) {
  return folder + "/" + key + ".o";
}

std::string checksum(const std::string& key, const std::string& object) {
  return sha256(key + "\n" + object);
}

bool is_ours(const struct stat& facts) { return facts.st_uid == geteuid() || facts.st_uid == 0; }

bool is_trusted(const struct stat& facts) {
  return is_ours(facts) && (facts.st_mode & kOthersWrite) == 0;
}

/// The bytes of an open file; what was checked is what is read.
std::string read_all(int file) {
  std::string bytes;
  char part[1 << 16];
  for (ssize_t count = 0; (count = read(file, part, sizeof part)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    bytes.append(part, static_cast<size_t>(count));
  }
  return bytes;
}

std::string read_trusted(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return {};
  struct stat facts = {};
  const bool trusted = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && is_trusted(facts);
  std::string bytes = trusted ? read_all(file) : std::string();
  close(file);
  return bytes;
}

bool write_all(int file, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = write(file, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

/// For this user alone. What others may have put there is refused file by file.
void make_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), failed);
  mkdir(folder.c_str(), S_IRWXU);
  struct stat facts = {};
  if (stat(folder.c_str(), &facts) == 0 && facts.st_uid == geteuid() &&
      (facts.st_mode & kOthersWrite) != 0)
    chmod(folder.c_str(), facts.st_mode & ~kOthersWrite & 07777);
}

}  // namespace

std::string why_refused(const std::string& folder) {
  struct stat facts = {};
  if (folder.empty() || stat(folder.c_str(), &facts) != 0) return {};
  if (!is_ours(facts)) return fmt::format("'{}' is another user's", folder);
  if (!is_trusted(facts)) return fmt::format("others may write to '{}'", folder);
  return {};
}

std::optional<std::string> read_code(const std::string& folder, const std::string& key) {
  if (folder.empty() || !why_refused(folder).empty()) return std::nullopt;
  const std::string bytes = read_trusted(path_of(folder, key));
  const size_t begin = kHeader.size() + kDigits;
  if (bytes.size() < begin || !bytes.starts_with(kHeader)) return std::nullopt;
  std::string object = bytes.substr(begin);
  if (bytes.substr(kHeader.size(), kDigits) != checksum(key, object)) return std::nullopt;
  return object;
}

void write_code(const std::string& folder, const std::string& key, const std::string& object) {
  make_folder(folder);
  const std::string path = path_of(folder, key);
  std::string partial = path + ".XXXXXX";
  const int file = mkostemp(partial.data(), O_CLOEXEC);  // mode 0600
  if (file < 0) return;
  const bool whole = write_all(file, std::string(kHeader) + checksum(key, object) + object);
  close(file);
  if (!whole || std::rename(partial.c_str(), path.c_str()) != 0) std::remove(partial.c_str());
}

}  // namespace warpledger::exec::jit
