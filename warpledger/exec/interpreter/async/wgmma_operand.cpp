#include "warpledger/exec/interpreter/async/wgmma_operand.h"

#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"

namespace warpledger::exec::reference {
namespace {

constexpr size_t kMostKnown = 1024;  // operands; kernels have one for each stage and step along k

/// Where the pieces lie, recorded and counted for the first time. Null after a fault.
std::shared_ptr<const KnownOperand> find_out(const Context& context, const Step& step,
                                             const AskedOperand& asked) {
  auto known = std::make_shared<KnownOperand>();
  known->chunks = asked.shape.chunks();
  const std::string why = find_fault(asked.shape, known->chunks, context.cta.shared.size(), {});
  if (!why.empty()) return context.fault(step, 0, why, "out-of-bounds"), nullptr;
  for (const uint32_t chunk : known->chunks) known->pieces.push_back(chunk / kChunkBytes);
  if (!asked.site) return known;
  const trace::Buffer& buffer = context.engine.buffer(context.cta, context.warp);
  Statistics::Accesses& counts =
      context.engine.counts(context.cta).by_space[static_cast<size_t>(trace::Space::kShared)];
  const size_t held = buffer.held().size();
  const Statistics::Accesses before = counts;
  record_operand(context, step, *asked.site, asked.shape, known->chunks, asked.first);
  const auto made = buffer.held().subspan(held);
  known->records.assign(made.begin(), made.end());
  known->counts = {.loads = counts.loads - before.loads,
                   .stores = counts.stores - before.stores,
                   .atomics = counts.atomics - before.atomics,
                   .lanes = counts.lanes - before.lanes,
                   .bytes = counts.bytes - before.bytes};
  return known;
}

void record_again(const Context& context, const KnownOperand& known) {
  trace::Buffer& buffer = context.engine.buffer(context.cta, context.warp);
  for (const trace::Record& slot : known.records) buffer.push(slot);
  Statistics::Accesses& counts =
      context.engine.counts(context.cta).by_space[static_cast<size_t>(trace::Space::kShared)];
  counts.loads += known.counts.loads;
  counts.stores += known.counts.stores;
  counts.atomics += known.counts.atomics;
  counts.lanes += known.counts.lanes;
  counts.bytes += known.counts.bytes;
}

}  // namespace

bool find_operand(const Context& context, const Step& step, AskedOperand asked,
                  SharedSource& source, MatrixWork& work) {
  const uint64_t bits = context.read(step.operands[asked.operand], 0);
  const auto descriptor = decode(bits, DescriptorKind::kWgmma);
  if (!descriptor) {
    context.fault(step, 0, descriptor.error().message, descriptor.error().code);
    return false;
  }
  asked.shape.descriptor = *descriptor;
  asked.shape.rows = asked.first + asked.rows;
  auto& all_known = context.warp.matrix.known;
  if (all_known.size() == kMostKnown) all_known.clear();
  auto& known = all_known[{&step, asked.operand, bits}];
  if (known == nullptr) {
    known = find_out(context, step, asked);
    if (known == nullptr) return false;
  } else {
    record_again(context, *known);
  }
  if (!context.cta.use.mode.empty()) {
    const std::string why =
        find_fault(asked.shape, known->chunks, context.cta.shared.size(), context.cta.use.mode);
    if (!why.empty()) return context.fault(step, 0, why, "swizzle-mismatch"), false;
  }
  work.reads.push_back(known);
  source = {asked.shape, known->chunks, asked.first};
  return true;
}

}  // namespace warpledger::exec::reference
