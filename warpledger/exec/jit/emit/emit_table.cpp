// LLVM. The emitters by row of lowerings.def: find_lowering() gives the row. A row whose emitter is
// missing does not link, an emitter without a row does not compile (-Wmissing-declarations).
#include "warpledger/exec/jit/emit/emit_table.h"

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"

namespace warpledger::exec::jit {
namespace {

using Emit = void (*)(Emitter& e, const Step& step);

constexpr Emit kEmitters[] = {
#define LOWERING(op, can_lower, emit) emit,
#include "warpledger/exec/jit/analysis/lowerings.def"
#undef LOWERING
};

}  // namespace

void emit_by_table(Emitter& e, const Step& step) {
  const uint32_t row = find_lowering(step);
  if (row == kNoLowering) return emit_interpreted(e, step);
  kEmitters[row](e, step);
}

}  // namespace warpledger::exec::jit
