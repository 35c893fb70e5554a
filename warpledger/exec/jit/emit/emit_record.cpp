// LLVM. The trace: room for a block's records, a record for each access, marks between them.
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

namespace {

constexpr size_t kRecordsOfAVector = 4;  // 16 bytes each

}  // namespace

void Emitter::reserve_records(uint32_t block) {
  if (!mode_.record) return;
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  uint32_t slots = 0;
  for (uint32_t pc = here.first; pc < here.end; ++pc) slots += records_of(analysis_, pc);
  if (slots == 0) return;
  V next = b_.CreatePtrAdd(b_.CreateLoad(b_.getPtrTy(), record_),
                           b_.getInt64(slots * sizeof(trace::Record)));
  V limit = context_field(b_.getPtrTy(), offsetof(WarpContext, limit), false);
  Block full = new_block("full"), on = new_block("on");
  branch(b_.CreateICmpUGT(next, limit), full, on, 1, 1000);
  b_.SetInsertPoint(full);
  call_or_leave("wl_jit_reserve", {b_.getInt32(slots)});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

void Emitter::mark_wait(const Step& step) {
  if (mode_.record && step.mark_before) emit_mark(trace::mark(trace::Mark::kUse, 0, step.number));
}

void Emitter::emit_mark(const trace::Record& mark) {
  ahead_.clear();
  V at = b_.CreateLoad(b_.getPtrTy(), record_);
  b_.CreateAlignedStore(b_.getInt64(mark.address), at, llvm::Align(8));
  b_.CreateAlignedStore(b_.getInt64(uint64_t{mark.site} << 32 | mark.shape),
                        b_.CreatePtrAdd(at, b_.getInt64(8)), llvm::Align(8));
  count_record();
}

void Emitter::count_record() {
  V at = b_.CreateLoad(b_.getPtrTy(), record_);
  b_.CreateStore(b_.CreatePtrAdd(at, b_.getInt64(sizeof(trace::Record))), record_);
}

/// The accesses behind this one whose records follow its own and are known from the leader's.
std::vector<uint32_t> Emitter::followers() const {
  std::vector<uint32_t> found;
  const uint32_t end = analysis_.flow.cfg.blocks[block_].end;
  for (uint32_t pc = pc_ + 1; pc < end && found.size() + 1 < kRecordsOfAVector; ++pc) {
    const uint32_t records = records_of(analysis_, pc);
    if (records == 0) continue;
    if (records != 1 || analysis_.leader[pc] != analysis_.leader[pc_]) break;
    found.push_back(pc);
  }
  return found;
}

// Two stores a record cost more than the access itself where a thread loads many operands off one
// register. Their records differ by constants: one vector holds several, written with the first of
// them. The others then only count theirs; whatever comes in between instead overwrites it.
void Emitter::record_access(const Access& access) {
  if (!mode_.record) return;
  if (!ahead_.empty() && ahead_.front() == pc_) {
    ahead_.erase(ahead_.begin());
    return count_record();
  }
  V at = b_.CreateLoad(b_.getPtrTy(), record_);
  V shape = b_.CreateZExt(pattern_field(access, b_.getInt32Ty(), offsetof(Pattern, shape), 4),
                          b_.getInt64Ty());
  ahead_ = followers();
  if (ahead_.empty()) {
    b_.CreateAlignedStore(access.address.scalar, at, llvm::Align(8));
    b_.CreateAlignedStore(b_.CreateOr(shape, b_.getInt64(uint64_t{access.site} << 32)),
                          b_.CreatePtrAdd(at, b_.getInt64(8)), llvm::Align(8));
  } else {
    b_.CreateAlignedStore(records_of_group(shape), at, llvm::Align(8));
  }
  count_record();
}

/// {address, shape and site} of this access and of those in ahead_, from the leader's.
llvm::Value* Emitter::records_of_group(V shape) {
  V leader = leaders_.at(analysis_.leader[pc_]).address;
  V pair =
      b_.CreateInsertElement(llvm::FixedVectorType::get(b_.getInt64Ty(), 2), leader, uint64_t{0});
  pair = b_.CreateInsertElement(pair, shape, uint64_t{1});
  std::vector<uint64_t> differences;
  std::vector<int> repeat;
  const auto add = [&](uint32_t pc) {
    differences.push_back(static_cast<uint64_t>(analysis_.from_leader[pc]));
    differences.push_back(uint64_t{code_.steps[pc].site} << 32);
    repeat.insert(repeat.end(), {0, 1});
  };
  add(pc_);
  for (const uint32_t pc : ahead_) add(pc);
  return b_.CreateAdd(b_.CreateShuffleVector(pair, repeat),
                      llvm::ConstantDataVector::get(module_.getContext(), differences));
}

}  // namespace warpledger::exec::jit
