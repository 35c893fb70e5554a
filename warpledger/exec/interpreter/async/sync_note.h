// Who keeps the log of trace/sync_log.h: of one block, which whoever drives the engine names.
#pragma once

#include <memory>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/trace/sync_log.h"

namespace warpledger::exec::reference {

/// Of a launch. start() and end() may be called from different threads for different CTAs: what
/// they change is that one CTA's.
class SyncRecorder {
 public:
  /// `instructions`: of the program.
  void open(uint64_t cta, size_t instructions);
  void clear() { kept_ = {}; }
  void start(Cta& cta) const;
  void end(Cta& cta);
  /// Null: nothing was logged.
  [[nodiscard]] const trace::BlockLog* log() const { return kept_.get(); }

 private:
  static constexpr uint64_t kNobody = UINT64_MAX;
  uint64_t cta_ = kNobody;
  size_t instructions_ = 0;
  std::unique_ptr<trace::BlockLog> kept_;
};

/// One execution of an instruction by lanes of a warp: those that name the same object are one
/// event. Does nothing in a CTA that has no log.
class SyncNote {
 public:
  SyncNote(const Context& context, const Step& step);
  void add(const trace::SyncEvent& event);

 private:
  [[nodiscard]] bool joins(const trace::SyncEvent& event);

  trace::BlockLog* log_;
  trace::WarpLog* warp_ = nullptr;
  uint32_t instruction_ = 0;
  size_t first_ = 0;
};

/// The instruction has no event although somebody may wait for it.
void note_unknown(const Context& context);

}  // namespace warpledger::exec::reference
