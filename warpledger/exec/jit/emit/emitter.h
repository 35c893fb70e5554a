// LLVM. A kernel to one LLVM function; the files emit_*.cpp hold the lowerings, by group of
// opcodes.
//
// Registers are stack variables (mem2reg makes SSA of them). Every block is emitted twice where it
// has something to guess: a straight-line version that assumes regular accesses and no wrap-around
// of 32-bit sums, and a general one. A guess that fails leaves for the same instruction of the
// general version, which goes on to the end of the block; the two never meet inside a block.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <set>
#include <span>
#include <string>

#include "warpledger/exec/jit/analysis/counts.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {

struct Mode {
  bool record = false;   // write the trace
  bool count = false;    // per block: executions and lanes
  bool windows = false;  // the host permutes 64-byte vectors: AVX-512
};

/// A value of 32 lanes: scalar + vector, a part that is null is 0 (both null: 0).
struct LaneValue {
  llvm::Value* scalar = nullptr;
  llvm::Value* vector = nullptr;
};

class Emitter {
 public:
  Emitter(const Analysis& analysis, llvm::Module& module, const Mode& mode);
  /// The function, named `name`.
  llvm::Function* run(const std::string& name);

 private:
  using V = llvm::Value*;
  using Block = llvm::BasicBlock*;
  using Step = reference::Step;
  using Operand = reference::Value;

  // emit_function.cpp: the frame, blocks, both versions of each.
  void declare(const std::string& name);
  void make_variables();
  void emit_block(uint32_t block);
  void enter_block(uint32_t block);
  void emit_steps(uint32_t block, bool fast);
  void emit_step(uint32_t pc);
  bool emit_lowered(const Step& step);
  void emit_dropped(const Step& step, uint32_t pc);
  void emit_barrier(const Step& step);
  void take_turn();
  void give_way(const Step& step);
  void finish();

  // emit_count.cpp: nothing unless Mode::count.
  void add_count(size_t place, V more);
  void add_lanes(size_t place, V lanes);
  void count_block(uint32_t block, V lanes);
  void count_parting(V parts);
  void count_guarded(uint32_t pc, V lanes);
  void count_source(uint32_t pc, V lanes);

  // emit_control.cpp: branches, masks, the stack of waiting lanes.
  void emit_terminator(uint32_t block);
  void emit_branch(uint32_t block);
  void emit_parting(uint32_t block, V condition);
  void emit_kill(uint32_t block, V lanes);
  void emit_end(uint32_t block);
  void push(V block, uint32_t meeting, V mask);
  void emit_pop(uint32_t meeting, Block body);
  void emit_dispatch();
  V place_on_stack(V depth);
  V wake_top(V top, V at);
  void jump_to(V target, Block otherwise, const std::set<uint32_t>& targets);
  V guard_of(const Step& step);
  Block entry_of(uint32_t block) { return block < entries_.size() ? entries_[block] : end_; }

  // emit_value.cpp: operands and results.
  [[nodiscard]] bool is_uniform(const Operand& operand) const {
    return analysis_.holding_of(operand) == Holding::kUniform;
  }
  [[nodiscard]] std::span<const Operand> elements(const Operand& operand) const;
  LaneValue read(const Operand& operand, unsigned bits, bool keep_nan = false);
  V uniform(const Operand& operand, unsigned bits, bool keep_nan = false);
  V vector(const Operand& operand, unsigned bits, bool keep_nan = false);
  LaneValue read_special(const Operand& operand);
  LaneValue read_slot(uint32_t slot);
  void write(const Operand& operand, LaneValue value, bool is_signed = false);
  void write_slot(uint32_t slot, LaneValue value);
  void write_uniform(const Operand& operand, V value) { write(operand, {value, nullptr}); }
  void write_vector(const Operand& operand, V value) { write(operand, {nullptr, value}); }
  V all(LaneValue value, unsigned bits);  // as one vector
  V tidy_nan(V bits32);
  LaneValue cut(LaneValue value, unsigned bits);
  V extended(V value, unsigned bits, bool is_signed);
  LaneValue extended(LaneValue value, unsigned bits, bool is_signed);  // its parts added first

  // emit_integer.cpp, emit_float.cpp, emit_compare.cpp, emit_convert.cpp: true when they did it.
  bool emit_integer(const Step& step);
  bool emit_affine(const Step& step);
  LaneValue shifted_left(const Step& step);
  V upper_product(const Step& step);
  bool emit_logic(const Step& step);
  V shifted(const Step& step);
  V looked_up(const Step& step);
  bool emit_float(const Step& step);
  V with_sign(const Step& step, V bits);
  V computed(const Step& step, const std::vector<V>& in);
  V calculated(ptx::Op op, const std::vector<V>& x);
  V first_nan(const std::vector<V>& in, const std::vector<V>& x);
  bool emit_compare(const Step& step);
  void emit_selp(const Step& step);
  void emit_setp(const Step& step);
  V compared(const Step& step, V a, V b);
  bool emit_convert(const Step& step);
  void emit_cvta(const Step& step);
  void emit_cvt(const Step& step);
  V float_to_integer(const Step& step, V value);
  V float_to_float(const Step& step, V value);
  bool emit_bits(const Step& step);  // emit_bits.cpp
  bool emit_division(const Step& step);
  bool emit_pack(const Step& step);
  V ones(V length, unsigned bits);
  V extracted(const Step& step, const std::vector<V>& in);
  V inserted(const Step& step, const std::vector<V>& in);
  V permuted(const Step& step, const std::vector<V>& in);
  V funnelled(const Step& step, const std::vector<V>& in);
  bool emit_directed(const Step& step);  // emit_round.cpp
  bool emit_to_float(const Step& step);
  V rounded(V high, V low, V zero_bits, numeric::Rounding rounding);
  V from_sixteen(V bits, const numeric::Format& format);
  bool emit_math(const Step& step);  // emit_math.cpp
  llvm::Function* math_function(ptx::Op op, bool ftz);
  LaneValue widen(LaneValue value, bool is_signed);
  LaneValue product(const Step& step, bool wide);
  V flushed(V value);
  V to_half(V bits32);
  V to_bfloat(V bits32);
  void emit_narrow(const Step& step);
  V choose_extreme(const Step& step, V a, V b);
  /// Whether some operand from the first source on differs by lane.
  [[nodiscard]] bool differs_by_lane(const Step& step) const;
  V operand(const Operand& from, unsigned bits, bool by_lane, bool keep_nan = false) {
    return by_lane ? vector(from, bits, keep_nan) : uniform(from, bits, keep_nan);
  }
  /// Operands 1.. of `bits` each: scalars when all are uniform, else vectors.
  std::vector<V> operands(const Step& step, unsigned bits, bool keep_nan = false);
  /// Whether the NaNs of operand 0 may be any (Analysis::lazy_nan).
  [[nodiscard]] bool has_lazy_result(const Step& step) const;
  /// A scalar or a vector, as it is.
  static LaneValue lane_value(V value) {
    return value->getType()->isVectorTy() ? LaneValue{nullptr, value} : LaneValue{value, nullptr};
  }
  void write_result(const Step& step, V value) { write(step.operands[0], lane_value(value)); }
  llvm::Type* like(V value, llvm::Type* element) {
    return value->getType()->isVectorTy() ? lanes_of(element) : element;
  }
  llvm::Type* float_like(V value, unsigned bits) {
    return like(value, bits == 32 ? b_.getFloatTy() : b_.getDoubleTy());
  }

  // emit_access.cpp: where the lanes of an access lie.
  struct Access {
    const Step* step = nullptr;
    uint32_t index = 0;  // of its SiteWindow
    uint32_t site = 0;   // of its record
    ptx::Space space = ptx::Space::kGeneric;
    unsigned element = 4, count = 1;  // bytes, how many
    bool is_store = false, uniform = false;
    bool moves = true;         // false: dropped, nothing but its record is left
    bool picks_lanes = false;  // `lanes` is not the mask under the guard
    bool steady = false;       // its lanes lie the same way from one turn of the loop to the next
    LaneValue address;
    LaneValue full;     // the same address, right also where a 32-bit sum wraps
    V lanes = nullptr;  // who takes part
    V pattern = nullptr;
  };
  Access make_access(const Step& step, uint32_t pc, const Operand& address);
  void add_base(Access& access, const Operand& address);
  void guess_in_bounds(Access& access);
  V is_regular(const Access& access);
  [[nodiscard]] bool goes_by_windows(const Access& access) const;
  V pattern_of(const Access& access, V mask);
  V pattern_field(const Access& access, llvm::Type* type, size_t offset, unsigned align);
  V host_address(const Access& access, V offset);
  void call_access(const Access& access);

  // emit_memory.cpp: ld and st.
  void emit_load(const Step& step, uint32_t pc);
  void emit_dropped_access(const Step& step, uint32_t pc);
  void emit_store(const Step& step, uint32_t pc);
  bool emit_param_load(const Step& step);
  std::vector<V> load_fast(const Access& access);
  std::vector<V> load_windows(const Access& access);
  std::vector<V> load_runs(const Access& access);
  std::vector<V> load_slow(const Access& access);
  void tell_what_is_seen(const Access& access, const std::vector<V>& values);
  void store_runs(const Access& access, const std::vector<V>& values);
  void store_fast(const Access& access, const std::vector<V>& values);
  void store_slow(const Access& access, const std::vector<V>& values);
  V joined(std::vector<V> parts);
  V interleaved(const std::vector<V>& values);
  V part_of(V vector, unsigned first, unsigned count);
  V for_each_element(V lanes, unsigned count);

  // emit_record.cpp: the trace.
  void reserve_records(uint32_t block);
  void emit_mark(const trace::Record& mark);
  void mark_wait(const Step& step);
  void record_access(const Access& access);
  void count_record();
  [[nodiscard]] std::vector<uint32_t> followers() const;
  V records_of_group(V shape);

  // emit_matrix.cpp
  void emit_product(const Step& step);

  // emit_move.cpp
  Access row_access(const Step& step);
  void emit_matrix_move(const Step& step);

  // emit_copy.cpp
  struct Sources {
    V lanes = nullptr;  // that read
    V whole = nullptr;  // all of them read all bytes; null: always
  };
  Access copy_side(const Step& step, ptx::Space space);
  Sources copy_sources(const Step& step);
  bool emit_copy(const Step& step);
  bool emit_copy_group(const Step& step);

  // emit_exchange.cpp
  struct Source {
    V lane = nullptr, inside = nullptr;
  };
  bool emit_exchange(const Step& step);
  void emit_shuffle(const Step& step);
  Source shuffle_source(const Step& step);
  V picked(V values, V from);
  V named_lanes(const Step& step);
  void leave_if_lanes_are_missing(const Step& step);
  V voted(const Step& step);
  V reduced(const Step& step, V members);
  void emit_reduction(const Step& step);

  // emit_call.cpp: what the interpreter's functions or the runtime do.
  void emit_interpreted(const Step& step, uint32_t pc, const char* name = "wl_jit_interpret",
                        const std::vector<V>& more = {});
  V call_runtime(const char* name, llvm::Type* result, std::vector<V> arguments);
  void call_or_leave(const char* name, std::vector<V> arguments);
  void define_pattern_function();
  void set_host_attributes(llvm::Function* function);

  // Small things.
  llvm::IntegerType* integer(unsigned bits) { return b_.getIntNTy(bits); }
  llvm::Type* lanes_of(llvm::Type* type) { return llvm::FixedVectorType::get(type, 32); }
  V splat(V scalar) { return b_.CreateVectorSplat(32, scalar); }
  V context_field(llvm::Type* type, size_t offset, bool invariant = true);
  void set_context_field(V value, size_t offset);
  V place_in_context(size_t offset) { return b_.CreatePtrAdd(context_, b_.getInt64(offset)); }
  /// Vectors of the context, which has them at multiples of 64 bytes.
  void put_vector(V value, size_t offset) {
    b_.CreateAlignedStore(value, place_in_context(offset), llvm::Align(64));
  }
  V get_vector(llvm::Type* type, size_t offset) {
    return b_.CreateAlignedLoad(type, place_in_context(offset), llvm::Align(64));
  }
  /// Of memory that nobody writes while the warp runs.
  V load_invariant(llvm::Type* type, V at, unsigned align);
  llvm::Constant* lane_numbers();
  /// The element of the lowest of `lanes`; of lane 0 when there is none.
  V in_first_lane(V values, V lanes);
  V mask() { return b_.CreateLoad(b_.getInt32Ty(), mask_); }
  V lanes() { return guard_bits_ == nullptr ? mask() : b_.CreateAnd(mask(), guard_bits_); }
  /// A condition, uniform or by lane, as 32 bits.
  V bits_of(V condition) {
    return condition->getType()->isVectorTy() ? b_.CreateBitCast(condition, b_.getInt32Ty())
                                              : b_.CreateSExt(condition, b_.getInt32Ty());
  }
  V as_bits(V lanes32) { return b_.CreateBitCast(lanes32, lanes_of(b_.getInt1Ty())); }
  Block new_block(const char* name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  }
  /// Whose sides are taken as often as their weights say.
  void branch(V condition, Block yes, Block no, uint32_t yes_weight, uint32_t no_weight);
  /// Leaves for the general version of this instruction unless `condition`.
  void guess(V condition);

  const Analysis& analysis_;
  const reference::Code& code_;
  llvm::Module& module_;
  Mode mode_;
  CountPlaces counts_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  llvm::Function* pattern_function_ = nullptr;
  std::map<std::pair<ptx::Op, bool>, llvm::Function*> math_;  // by opcode and .ftz
  V context_ = nullptr;
  std::vector<llvm::AllocaInst*> scalar_, vector_;  // by slot
  llvm::AllocaInst *mask_ = nullptr, *loop_mask_ = nullptr, *alive_ = nullptr, *depth_ = nullptr;
  llvm::AllocaInst *stack_ = nullptr, *fuel_ = nullptr, *record_ = nullptr;
  std::vector<llvm::AllocaInst*> saved_mask_;  // by block
  std::vector<Block> entries_, bodies_;
  Block end_ = nullptr, leave_ = nullptr, dispatch_ = nullptr;
  // While a block is emitted:
  uint32_t block_ = 0, pc_ = 0;
  bool fast_ = false;
  V guard_ = nullptr;       // i1 or 32 x i1; null without one
  V guard_bits_ = nullptr;  // as 32 bits
  struct Leader {
    V pattern = nullptr, address = nullptr;
  };
  std::map<uint32_t, Leader> leaders_;  // of the fast version, by step
  std::vector<uint32_t> ahead_;         // steps whose records are written and not yet counted
  std::vector<Block> general_;  // by step of the block: its general version, where one is wanted
};

/// emit_passes.cpp: what is done to the code before machine code is made of it.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, bool quick);

}  // namespace warpledger::exec::jit
