// LLVM. The trace: room for a block's records, a record for each access, marks between them.
#include "warpledger/exec/jit/emit/emit_record.h"

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"

namespace warpledger::exec::jit {
namespace {

constexpr size_t kRecordsOfAVector = 4;  // 16 bytes each

void count_record(Emitter& e) {
  V at = e.CreateLoad(e.getPtrTy(), e.variables.record);
  e.CreateStore(e.CreatePtrAdd(at, e.getInt64(sizeof(trace::Record))), e.variables.record);
}

// The accesses behind this one whose records follow its own and are known from the leader's.
std::vector<uint32_t> followers(const Emitter& e) {
  std::vector<uint32_t> found;
  const uint32_t end = e.analysis.flow.cfg.blocks[e.block].end;
  for (uint32_t pc = e.pc + 1; pc < end && found.size() + 1 < kRecordsOfAVector; ++pc) {
    const uint32_t records = records_of(e.analysis, pc);
    if (records == 0) continue;
    if (records != 1 || e.analysis.leader[pc] != e.analysis.leader[e.pc]) break;
    found.push_back(pc);
  }
  return found;
}

// {address, shape and site} of this access and of those in Emitter::ahead, from the leader's.
V records_of_group(Emitter& e, V shape) {
  V leader = e.leaders.at(e.analysis.leader[e.pc]).address;
  V pair =
      e.CreateInsertElement(llvm::FixedVectorType::get(e.getInt64Ty(), 2), leader, uint64_t{0});
  pair = e.CreateInsertElement(pair, shape, uint64_t{1});
  std::vector<uint64_t> differences;
  std::vector<int> repeat;
  const auto add = [&](uint32_t pc) {
    differences.push_back(static_cast<uint64_t>(e.analysis.from_leader[pc]));
    differences.push_back(uint64_t{e.code.steps[pc].site} << 32);
    repeat.insert(repeat.end(), {0, 1});
  };
  add(e.pc);
  for (const uint32_t pc : e.ahead) add(pc);
  return e.CreateAdd(e.CreateShuffleVector(pair, repeat),
                     llvm::ConstantDataVector::get(e.module.getContext(), differences));
}

}  // namespace

void reserve_records(Emitter& e, uint32_t block) {
  if (!e.mode.record) return;
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  uint32_t slots = 0;
  for (uint32_t pc = here.first; pc < here.end; ++pc) slots += records_of(e.analysis, pc);
  if (slots == 0) return;
  V next = e.CreatePtrAdd(e.CreateLoad(e.getPtrTy(), e.variables.record),
                          e.getInt64(slots * sizeof(trace::Record)));
  V limit = context_field(e, e.getPtrTy(), offsetof(WarpContext, limit), false);
  Block full = e.new_block("full"), on = e.new_block("on");
  e.branch(e.CreateICmpUGT(next, limit), full, on, 1, 1000);
  e.SetInsertPoint(full);
  call_or_leave(e, "wl_jit_reserve", {e.getInt32(slots)});
  e.CreateBr(on);
  e.SetInsertPoint(on);
}

void mark_wait(Emitter& e, const Step& step) {
  if (e.mode.record && step.mark_before)
    emit_mark(e, trace::mark(trace::Mark::kUse, 0, step.number));
}

namespace {

void write_mark(Emitter& e, const trace::Record& mark) {
  e.ahead.clear();
  V at = e.CreateLoad(e.getPtrTy(), e.variables.record);
  e.CreateAlignedStore(e.getInt64(mark.address), at, llvm::Align(8));
  e.CreateAlignedStore(e.getInt64(uint64_t{mark.site} << 32 | mark.shape),
                       e.CreatePtrAdd(at, e.getInt64(8)), llvm::Align(8));
}

}  // namespace

void emit_mark(Emitter& e, const trace::Record& mark) {
  write_mark(e, mark);
  count_record(e);
}

void emit_mark_unless(Emitter& e, const trace::Record& mark, V condition) {
  write_mark(e, mark);
  V at = e.CreateLoad(e.getPtrTy(), e.variables.record);
  V bytes = e.CreateSelect(condition, e.getInt64(0), e.getInt64(sizeof(trace::Record)));
  e.CreateStore(e.CreatePtrAdd(at, bytes), e.variables.record);
}

// The mark is written in any case, and counted where a load that is waited for is in flight.
void follow_loads(Emitter& e, const Step& step) {
  if (!e.mode.record || (step.loads == 0 && step.waits == 0)) return;
  V loading = e.CreateLoad(e.getInt32Ty(), e.variables.loading);
  if (step.waits != 0) {
    V none = e.getInt32(0);
    V waits = e.CreateICmpNE(e.CreateAnd(loading, e.getInt32(step.waits)), none);
    write_mark(e, trace::mark(trace::Mark::kUse, 0, step.number));
    V at = e.CreateLoad(e.getPtrTy(), e.variables.record);
    V bytes = e.CreateSelect(waits, e.getInt64(sizeof(trace::Record)), e.getInt64(0));
    e.CreateStore(e.CreatePtrAdd(at, bytes), e.variables.record);
    loading = e.CreateSelect(waits, none, loading);
  }
  e.CreateStore(e.CreateOr(loading, e.getInt32(step.loads)), e.variables.loading);
}

// Two stores a record cost more than the access itself where a thread loads many operands off one
// register. Their records differ by constants: one vector holds several, written with the first of
// them. The others then only count theirs; whatever comes in between instead overwrites it.
void record_access(Emitter& e, const Access& access) {
  if (!e.mode.record) return;
  if (!e.ahead.empty() && e.ahead.front() == e.pc) {
    e.ahead.erase(e.ahead.begin());
    return count_record(e);
  }
  V at = e.CreateLoad(e.getPtrTy(), e.variables.record);
  V shape = e.CreateZExt(pattern_field(e, access, e.getInt32Ty(), offsetof(Pattern, shape), 4),
                         e.getInt64Ty());
  e.ahead = followers(e);
  if (e.ahead.empty()) {
    e.CreateAlignedStore(access.address.scalar, at, llvm::Align(8));
    e.CreateAlignedStore(e.CreateOr(shape, e.getInt64(uint64_t{access.site} << 32)),
                         e.CreatePtrAdd(at, e.getInt64(8)), llvm::Align(8));
  } else {
    e.CreateAlignedStore(records_of_group(e, shape), at, llvm::Align(8));
  }
  count_record(e);
}

}  // namespace warpledger::exec::jit
