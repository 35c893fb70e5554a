// What executes a spelling, by group of opcodes: one file each. Null when the opcode is of another
// group, or is not run.
#pragma once

#include "warpledger/exec/decode/program.h"
#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

[[nodiscard]] Execute find_value(const ptx::Spelling& spelling);   // pure ones, mov, cvta, carries
[[nodiscard]] Execute find_memory(const ptx::Spelling& spelling);  // ld, st, hints, fences
[[nodiscard]] Execute find_atomic(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_control(const ptx::Spelling& spelling);  // branches, calls, ends
[[nodiscard]] Execute find_barrier(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_exchange(const ptx::Spelling& spelling);  // shfl, vote, match, redux
[[nodiscard]] Execute find_async(const ptx::Spelling& spelling);     // cp.async
[[nodiscard]] Execute find_mbarrier(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_matrix(const ptx::Spelling& spelling);   // ldmatrix .. mma, wmma
[[nodiscard]] Execute find_cluster(const ptx::Spelling& spelling);  // and hints of sm_90
[[nodiscard]] Execute find_launch_control(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_bulk(const ptx::Spelling& spelling);  // cp.async.bulk
[[nodiscard]] Execute find_tensor_copy(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_tensor_map(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_wgmma(const ptx::Spelling& spelling);
[[nodiscard]] Execute find_tensor_memory(const ptx::Spelling& spelling);  // tcgen05.alloc .. st
[[nodiscard]] Execute find_tensor_mma(const ptx::Spelling& spelling);     // tcgen05.mma
[[nodiscard]] Execute find_tensor_commit(const ptx::Spelling& spelling);  // tcgen05.cp, .commit

/// The one of these that executes the spelling; null when it is not run.
[[nodiscard]] Execute select(const ptx::Spelling& spelling);
/// Sets Step::run throughout a program that was decoded.
void link_handlers(Program& program);

struct ExecuteRow {
  ptx::Op op;
  Execute run;
};
template <size_t N>
Execute find_in(const ExecuteRow (&rows)[N], ptx::Op op) {
  for (const ExecuteRow& row : rows) {
    if (row.op == op) return row.run;
  }
  return nullptr;
}

/// `call` in run_call.cpp; ret's other half.
Outcome run_call(Context& context, const Step& step);
void copy_results(const Context& context, Lanes lanes);

/// A function without a body that the machine provides: vprintf, malloc, ... False when it knows
/// none of that name. Arguments and results are in the caller's operands.
bool run_builtin(Context& context, const Step& step, std::string_view name);

/// An argument's bytes from the caller, or a result's into it.
void read_argument(const Context& context, const Value& value, int lane, void* bytes,
                   uint64_t size);
void write_result(const Context& context, const Value& value, int lane, const void* bytes,
                  uint64_t size);

}  // namespace warpledger::exec::reference
