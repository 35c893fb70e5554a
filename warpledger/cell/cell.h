// cell/: work that is not trusted, in a process that has nothing: no files, no network, no other
// programs, no descriptors but the pipes to its parent, bounded memory and time. The room knows
// Linux alone; it must not know what the work is.
//
// The child is a fork: it prepares with the rights of its parent (reads, compiles), then locks
// itself in, for good, and only then does what nobody trusts.
//
//   const cell::Outcome done = cell::run({.seconds = 10}, [&](cell::Inside& inside) {
//     prepare();
//     if (const Status locked = inside.lock(); !locked) return to_text(locked.error());
//     return run_what_a_stranger_wrote();
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "warpledger/base/result.h"

namespace warpledger::cell {

/// False in builds with sanitizers: their checks make system calls that a locked cell refuses.
[[nodiscard]] bool can_run_here();

struct Limits {
  uint64_t memory_bytes = 0;  // of addresses, beyond what is in use when the cell is locked; 0: any
  double seconds = 0;         // of the whole, preparation included; 0: any
};

/// The child's view of its cell.
class Inside {
 public:
  Inside(int pipe, const Limits& limits) : pipe_(pipe), limits_(limits) {}

  /// From here on there is nothing, for this process and all its threads. Fails where the kernel
  /// has no system-call filters: the caller must not go on then.
  [[nodiscard]] Status lock();
  [[nodiscard]] bool is_locked() const { return locked_; }

  /// Says something before the end. Several threads may.
  void tell(std::string_view text);

  void answer(std::string_view text);

 private:
  void send(char kind, std::string_view text);

  int pipe_;
  Limits limits_;
  bool locked_ = false;
  std::mutex mutex_;
};

struct Outcome {
  std::optional<std::string> answer;
  bool is_late = false;    // killed: the time was over
  int signal = 0;          // that ended it without an answer
  int not_started = 0;     // errno of what the system refused
  std::string complaints;  // what it wrote to standard error; the first 16 KiB
};

/// Runs `work` in a cell and gives what it returns. `heard` gets what it tells on the way. The
/// child dies with this process, however that dies. Pre: no other thread holds a lock that `work`
/// takes.
[[nodiscard]] Outcome run(const Limits& limits, const std::function<std::string(Inside&)>& work,
                          const std::function<void(std::string_view)>& heard = nullptr);

/// What became of a cell that gave no answer, for the user.
[[nodiscard]] Diagnostic describe(const Outcome& outcome);

}  // namespace warpledger::cell
