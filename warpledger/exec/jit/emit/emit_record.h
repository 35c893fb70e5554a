// LLVM. The trace: room for a block's records, a record for each access, marks between them.
#pragma once

#include "warpledger/exec/jit/emit/emit_access.h"

namespace warpledger::exec::jit {

void reserve_records(Emitter& e, uint32_t block);
void emit_mark(Emitter& e, const trace::Record& mark);
void emit_mark_unless(Emitter& e, const trace::Record& mark, V condition);
/// That the step waits for what it reads, where that is to be marked.
void mark_wait(Emitter& e, const Step& step);
/// What the step does to the scoreboards of loads, and the mark where it waits for one.
void follow_loads(Emitter& e, const Step& step);
void record_access(Emitter& e, const Access& access);

}  // namespace warpledger::exec::jit
