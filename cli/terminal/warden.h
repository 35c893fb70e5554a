// A process between us and a program that runs under us, so that nothing of the program outlives
// us: it is told when we die, however we die, and then ends the program and all that it started,
// also what has become nobody's child meanwhile.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

namespace warpledger::cli {

class Warden {
 public:
  /// Starts the warden and in it, as its child, `program`, which does not return.
  explicit Warden(const std::function<void(pid_t parent)>& program);
  ~Warden();
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;

  /// errno of what the system refused; 0: the program was started.
  [[nodiscard]] int fault() const { return fault_; }
  [[nodiscard]] pid_t program() const { return program_; }
  /// The program's end, as wait(2) says it. Nothing while it runs.
  [[nodiscard]] std::optional<int> status();
  /// Kills the program and all that it started.
  void end_all() const;

 private:
  int fault_ = 0;
  pid_t warden_ = -1, program_ = -1;
  int pipe_ = -1;  // it says the program's number, then its end
};

}  // namespace warpledger::cli
