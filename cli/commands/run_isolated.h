// A command's work in a cell (warpledger/cell): what it prints and the files that it wants written
// come back to this process, which does both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/terminal/session.h"
#include "warpledger/cell/cell.h"

namespace warpledger::cli {

struct OutputFile {
  std::string path, bytes;
};

/// What the work has: where it prints, the files it wants, and its cell; null: it has none.
struct Work {
  Session& session;
  std::vector<OutputFile> files = {};
  cell::Inside* inside = nullptr;
};

/// In a cell, ends the work where it is: it must be done again, otherwise.
[[noreturn]] void begin_again(const Work& work);
/// Locks the cell, if there is one; where that fails, the work ends with why.
void lock_or_end(Work& work);

/// Does the work, isolated or not, prints what it printed and writes those of its files that
/// `paths` names. False where it asked to begin again: nothing was printed then.
[[nodiscard]] bool run_isolated(Session& session, bool isolate,
                                const std::vector<std::string>& paths,
                                const std::function<void(Work&)>& work);

}  // namespace warpledger::cli
