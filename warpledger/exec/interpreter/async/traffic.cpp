#include "warpledger/exec/interpreter/async/traffic.h"

#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::reference {

void record_operand(const Context& context, const Step& step, uint32_t site_offset,
                    const SharedOperand& operand, std::span<const uint32_t> chunks,
                    uint32_t first) {
  const uint32_t along = operand.chunks_along();
  const uint32_t lines = operand.mn_major ? operand.k : operand.rows;
  const uint32_t first_line = operand.mn_major ? 0 : first;
  const uint32_t first_chunk =
      operand.mn_major ? first / static_cast<uint32_t>(operand.per_chunk) : 0;
  Accessed accessed;
  int held = 0;
  const auto flush = [&] {
    if (held == 0) return;
    accessed.lanes = held == kWarpSize ? ~Lanes{0} : (Lanes{1} << held) - 1;
    record(context, step, ptx::Space::kShared, site_offset, accessed, 16);
    held = 0;
  };
  for (uint32_t c = first_chunk; c < along; ++c) {
    for (uint32_t line = first_line; line < lines; ++line) {
      accessed.address[static_cast<size_t>(held++)] = chunks[line * along + c];
      if (held == kWarpSize) flush();
    }
  }
  flush();
}

void record_shared_run(const Context& context, const Step& step, uint64_t offset, uint64_t bytes,
                       int ctas) {
  trace::Buffer& buffer = context.engine.buffer(context.cta, context.warp);
  for (int i = 0; i < ctas && bytes != 0; ++i) buffer.push_bulk(offset, bytes, step.site + 1);
}

void record_cells(const Context& context, const Step& step, uint32_t site_offset, TensorAddress at,
                  uint32_t columns, uint64_t bytes) {
  const trace::TensorPlace place{columns, at.lane, at.column};
  context.engine.buffer(context.cta, context.warp)
      .push_bulk(place.address(), bytes, step.site + site_offset);
}

}  // namespace warpledger::exec::reference
