// Where a program's time goes: named phases, each with its wall time and its processor time, those
// of other threads and of finished child processes included.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpledger {

struct Lap {
  std::string name = {};
  double wall_seconds = 0;
  double cpu_seconds = 0;
};

class Stopwatch {
 public:
  Stopwatch();

  /// On one thread: from its construction to its end, added to the lap of that name. No watch:
  /// nothing.
  class Phase {
   public:
    Phase(Stopwatch* watch, const char* name);
    ~Phase();
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Stopwatch* watch_;
    const char* name_;
    Lap begun_ = {}, inside_ = {};  // inside: of phases that began and ended in this one
    Phase* outer_ = nullptr;
  };

  /// In the order in which they first ended. A phase inside another is not part of that one's time.
  [[nodiscard]] const std::vector<Lap>& laps() const { return laps_; }
  /// Those of a copy of this watch that went on in another process.
  void set_laps(std::vector<Lap> laps) { laps_ = std::move(laps); }
  /// Since the watch was made.
  [[nodiscard]] Lap total() const;

 private:
  std::vector<Lap> laps_;
  Lap begun_;
  Phase* current_ = nullptr;
};

}  // namespace warpledger
