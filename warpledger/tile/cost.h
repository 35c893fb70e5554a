// What a program moves: its Ledger, with exact expressions in the sizes. A copy moves its tile once
// over its edge; a multiplication loads each operand that is not in registers; arithmetic on
// registers moves nothing. Global memory is the level `dram`: a tile program knows no caches, so
// these are the bytes a kernel asks of memory when nothing is found in L1 or L2.
//
// Rows are named in the vocabulary of kernel sketches: LDS copies global -> shared, LDR shared ->
// registers, LDG global -> registers, STS registers -> shared, STG anything -> global. They are not
// the SASS instructions of those names.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/ledger/ledger.h"
#include "warpledger/tile/check.h"

namespace warpledger::tile {

/// The bytes of one block, or of the whole grid.
enum class LedgerScope { kBlock, kGrid };

/// Rows in program order; every size that has a value is put in.
[[nodiscard]] Ledger ledger_of(const CheckedProgram& program,
                               LedgerScope scope = LedgerScope::kGrid);

/// The same bytes with one row for each operand of a multiplication, named after the tensor that it
/// was copied from: what two programs of one meaning are compared by.
[[nodiscard]] Ledger ledger_by_tensor(const CheckedProgram& program,
                                      LedgerScope scope = LedgerScope::kGrid);

/// "114,688 bytes fewer: 131,072 saved (WGMMA(Q)), 16,384 spent (LDR(Q))", from ledger_by_tensor of
/// both. Pre: all amounts are whole numbers.
[[nodiscard]] std::string exchange_text(const Ledger& before, const Ledger& after);

/// Bytes over all edges, and over those that touch global memory; of the whole grid.
struct Cost {
  Expression total;
  Expression global;
  Expression output_writes;  // the part of `global` that writes outputs
  Expression product_flops;  // 2 x rows x columns x inner extent of every multiplication
  Expression arithmetic;     // elements computed by elementwise and reduction statements
};
/// As formulas, whether or not sizes have values.
[[nodiscard]] Cost cost_formulas(const CheckedProgram& program);
/// The same with the program's known sizes put in.
[[nodiscard]] Cost cost_of(const CheckedProgram& program);

/// The ledger of a tile program as its rows read: operation, what it does, bytes per iteration,
/// iterations, total; the totals of each edge below.
[[nodiscard]] Table cost_table(const Ledger& ledger);

[[nodiscard]] Level level_of(Space space);

}  // namespace warpledger::tile
