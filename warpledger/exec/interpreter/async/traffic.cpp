#include "warpledger/exec/interpreter/async/traffic.h"

#include <algorithm>

#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::reference {

void record_operand(const Context& context, const Step& step, uint32_t site_offset,
                    const SharedOperand& operand, std::span<const uint32_t> chunks,
                    uint32_t first) {
  const std::vector<uint32_t> ordered = operand.in_order(chunks, first);
  for (size_t at = 0; at < ordered.size(); at += kWarpSize) {
    const size_t held = std::min<size_t>(kWarpSize, ordered.size() - at);
    Accessed accessed{.lanes = held == kWarpSize ? ~Lanes{0} : (Lanes{1} << held) - 1};
    std::copy_n(ordered.begin() + static_cast<std::ptrdiff_t>(at), held, accessed.address.begin());
    record(context, step, ptx::Space::kShared, site_offset, accessed, 16);
  }
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
