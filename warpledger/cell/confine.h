// A program of the user's own with fewer of his rights: it needs files, libraries and other
// programs, and so cannot be in a cell. What it can do without is taken from it, and from all that
// it starts, before it begins.
#pragma once

#include <string>
#include <vector>

namespace warpledger::cell {

/// Whether this system can: Landlock (Linux 5.13) and system-call filters.
[[nodiscard]] bool can_confine();

/// For this process and those it starts, for good: it writes, makes and removes files in the
/// folders of `writable` alone (and writes to /dev/null and terminals), opens no socket, looks into
/// no other process, and gains no rights by running programs. What it may read and run stays as it
/// is. From Linux 6.12 on it signals nobody outside either. Gives errno; 0: done.
[[nodiscard]] int confine(const std::vector<std::string>& writable);

}  // namespace warpledger::cell
