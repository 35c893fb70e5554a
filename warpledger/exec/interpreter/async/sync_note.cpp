#include "warpledger/exec/interpreter/async/sync_note.h"

namespace warpledger::exec::reference {
namespace {

constexpr size_t kMostEvents = size_t{1} << 18;  // of a warp: 8 MiB

}  // namespace

void SyncRecorder::open(uint64_t cta, size_t instructions) {
  cta_ = cta;
  instructions_ = instructions;
}

void SyncRecorder::start(Cta& cta) const {
  cta.log.reset();
  if (cta.id != cta_) return;
  cta.log = std::make_unique<trace::BlockLog>();
  cta.log->warps.resize(cta.warps.size());
  for (trace::WarpLog& warp : cta.log->warps) warp.executions.resize(instructions_);
}

void SyncRecorder::end(Cta& cta) {
  if (cta.log != nullptr) kept_ = std::move(cta.log);
}

SyncNote::SyncNote(const Context& context, const Step& step)
    : log_(context.cta.log.get()), instruction_(step.number) {
  if (log_ == nullptr) return;
  warp_ = &log_->warps[context.warp.index];
  first_ = warp_->events.size();
}

bool SyncNote::joins(const trace::SyncEvent& event) {
  for (size_t i = first_; i < warp_->events.size(); ++i) {
    trace::SyncEvent& one = warp_->events[i];
    if (one.barrier != event.barrier || one.kind != event.kind || one.parity != event.parity)
      continue;
    if (event.kind == trace::SyncEvent::Kind::kArrive) {
      one.count += event.count;
      one.bytes += event.bytes;
    }
    return true;
  }
  return false;
}

void SyncNote::add(const trace::SyncEvent& event) {
  if (log_ == nullptr || joins(event)) return;
  if (warp_->events.size() >= kMostEvents) {
    log_->is_whole = false;
    return;
  }
  trace::SyncEvent& made = warp_->events.emplace_back(event);
  made.instruction = instruction_;
  made.continues = warp_->events.size() > first_ + 1;
}

void note_unknown(const Context& context) {
  if (context.cta.log != nullptr) context.cta.log->is_whole = false;
}

}  // namespace warpledger::exec::reference
