#include "warpledger/exec/interpreter/async/shared_source.h"

#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"

namespace warpledger::exec::reference {
namespace {

constexpr size_t kMostKnown = 1024;  // operands; kernels have one for each stage and step along k

std::nullptr_t fault(const Context& context, const AskedOperand& asked, std::string why,
                     std::string code) {
  context.fault(*asked.key.step, asked.lane, std::move(why), std::move(code));
  return nullptr;
}

/// Recorded and counted for the first time.
void record_first(const Context& context, const AskedOperand& asked, KnownOperand& known) {
  const trace::Buffer& buffer = context.engine.buffer(context.cta, context.warp);
  Statistics::Accesses& counts =
      context.engine.counts(context.cta).by_space[static_cast<size_t>(trace::Space::kShared)];
  const size_t held = buffer.held().size();
  const Statistics::Accesses before = counts;
  record_operand(context, *asked.key.step, *asked.site, known.shape, known.chunks, asked.first);
  const auto made = buffer.held().subspan(held);
  known.records.assign(made.begin(), made.end());
  known.counts = {.loads = counts.loads - before.loads,
                  .stores = counts.stores - before.stores,
                  .atomics = counts.atomics - before.atomics,
                  .lanes = counts.lanes - before.lanes,
                  .bytes = counts.bytes - before.bytes};
}

void record_again(const Context& context, const KnownOperand& known) {
  if (known.records.empty()) return;
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

/// Where the pieces lie. Null after a fault.
std::shared_ptr<KnownOperand> find_out(const Context& context, const AskedOperand& asked) {
  const uint64_t bits = asked.key.descriptor;
  const auto descriptor = decode(bits, asked.kind);
  if (!descriptor)
    return fault(context, asked, descriptor.error().message, descriptor.error().code);
  if (asked.kind == DescriptorKind::kTcgen05 && (bits >> 52 & 1) != 0)
    return fault(context, asked, "the descriptor's absolute leading address is not executed yet",
                 "bad-descriptor");
  auto known = std::make_shared<KnownOperand>();
  known->shape = asked.shape;
  known->shape.descriptor = *descriptor;
  known->chunks = known->shape.chunks();
  const std::string why = find_fault(known->shape, known->chunks, context.cta.shared.size(), {});
  if (!why.empty()) return fault(context, asked, why, "out-of-bounds");
  for (const uint32_t chunk : known->chunks) known->pieces.add(chunk / kChunkBytes);
  return known;
}

/// Whether tile copies wrote it with the swizzle that the descriptor says; false after a fault.
bool fits_modes(const Context& context, const AskedOperand& asked, const Cta& cta,
                KnownOperand& known) {
  const SharedUse& use = cta.use;
  if (use.mode.empty()) return true;
  if (known.compared_cta == cta.id && known.compared_modes == use.mode_changes) return true;
  const std::string why = find_fault(known.shape, known.chunks, cta.shared.size(), use.mode);
  if (!why.empty()) return fault(context, asked, why, "swizzle-mismatch"), false;
  known.compared_cta = cta.id, known.compared_modes = use.mode_changes;
  return true;
}

}  // namespace

std::shared_ptr<const KnownOperand> find_operand(const Context& context, const AskedOperand& asked,
                                                 std::span<Cta* const> ctas) {
  auto& all_known = context.warp.matrix.known;
  if (all_known.size() == kMostKnown) all_known.clear();
  std::shared_ptr<KnownOperand>& known = all_known[asked.key];
  const bool is_new = known == nullptr;
  if (is_new) known = find_out(context, asked);
  if (known == nullptr) return nullptr;
  bool is_recorded = !is_new;
  for (const Cta* cta : ctas) {
    if (cta == nullptr) continue;
    if (!fits_modes(context, asked, *cta, *known)) return nullptr;
    if (is_recorded) {
      record_again(context, *known);
    } else if (asked.site) {
      record_first(context, asked, *known);
    }
    is_recorded = true;
  }
  return known;
}

}  // namespace warpledger::exec::reference
