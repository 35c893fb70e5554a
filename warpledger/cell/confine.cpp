#include "warpledger/cell/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "warpledger/cell/filter.h"

namespace warpledger::cell {
namespace {

constexpr uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
// Rights that came later than the header that this is built with.
constexpr uint64_t kRefer = 1u << 13, kTruncate = 1u << 14;  // versions 2 and 3
constexpr uint64_t kNoPorts = 3;                             // to bind, to connect; version 4
constexpr uint64_t kNoSignals = 3;  // nor abstract sockets, outside; version 6

long landlock_version() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/// All that changes files. What is read is not looked at: it need not be allowed.
uint64_t changes(long version) {
  uint64_t rights = kWriteFile;
  for (int bit = 4; bit <= 12; ++bit) rights |= 1u << bit;  // remove, and make of each kind
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  return rights;
}

void allow(long rules, const char* path, uint64_t rights) {
  const int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;  // not there: nothing to write
  const landlock_path_beneath_attr beneath{.allowed_access = rights, .parent_fd = place};
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  close(place);
}

int close_file_system(const std::vector<std::string>& writable) {
  const long version = landlock_version();
  if (version < 1) return ENOSYS;
  const struct {
    uint64_t files, ports, scopes;
  } handled = {.files = changes(version), .ports = kNoPorts, .scopes = kNoSignals};
  const size_t size = version >= 6 ? sizeof handled : version >= 4 ? 16 : 8;
  const long rules = syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (rules < 0) return errno;
  for (const std::string& folder : writable) allow(rules, folder.c_str(), changes(version));
  const uint64_t file = kWriteFile | (version >= 3 ? kTruncate : 0);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/pts"})
    allow(rules, device, file);
  const int fault = syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : errno;
  close(static_cast<int>(rules));
  return fault;
}

}  // namespace

bool can_confine() { return landlock_version() >= 1; }

int confine(const std::vector<std::string>& writable) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (const int fault = close_file_system(writable); fault != 0) return fault;
  std::vector<sock_filter> code = program_filter();
  const sock_fprog program{.len = static_cast<uint16_t>(code.size()), .filter = code.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

}  // namespace warpledger::cell
