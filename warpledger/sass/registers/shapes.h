// How many registers each operand of an opcode takes. Made from the operands that ptxas writes for
// sm_70 to sm_120 and checked against nvdisasm's life ranges.
#pragma once

#include "warpledger/sass/code.h"

namespace warpledger::sass {

/// What an opcode does with its operands.
enum class Shape : uint8_t {
  kUnknown,
  kNoResult,    // reads all of them
  kResult,      // one result, predicates before or after it
  kPredicates,  // two predicates: ISETP P0, PT, ...
  kPredicate,   // one predicate: FCHK P0, ...
  kVote,        // all but the last
  kMaskResult,  // R2P PR, R0, 0x7f: the predicates of the mask
  kMaskSource,  // P2R R0, PR, RZ, 0x7f
  kLoad,        // a result as wide as the access, then an address
  kStore,       // an address, then what is stored
  kAtomic,      // a result, an address, one or two values
  kReduction,   // an address and a value
  kMatrix,      // fragments
  kDouble,      // every register operand is a pair
  kComparison,  // of pairs: DSETP
};
[[nodiscard]] Shape shape_of(const Instruction& instruction);

/// Registers of the result.
[[nodiscard]] size_t result_width(const Instruction& instruction, Shape shape);
/// Registers of a source that stands at `place` behind the results.
[[nodiscard]] size_t source_width(const Instruction& instruction, Shape shape, size_t place);

}  // namespace warpledger::sass
