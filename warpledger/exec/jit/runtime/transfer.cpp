#include "warpledger/exec/jit/runtime/transfer.h"

#include <algorithm>

#include "warpledger/exec/decode/access_record.h"
#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/shared_use.h"
#include "warpledger/exec/jit/runtime/runtime_memory.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Space;
using reference::Context;
using reference::Step;
using reference::Value;

constexpr uint64_t kLongestStride = 1 << 20;  // offsets of 32 lines of f64 fit into 32 bits
constexpr size_t kMostStrides = 64;           // of a step

bool is_load(const Step& step) { return step.spelling().op() == ptx::Op::kWmmaLoad; }

/// Where the matrix begins, by the first lane: all name the same.
SpaceAddress base_of(const Context& context, const Step& step) {
  return context.address(step.operands[is_load(step) ? 1 : 0], step.spelling().space(), 0);
}

uint64_t stride_of(const Context& context, const Step& step) {
  const bool given = step.operands.size() > 2 && step.operands[2].kind != Value::Kind::kNone;
  return given ? context.read(step.operands[2], 0) : static_cast<uint64_t>(step.move->plan.leading);
}

/// Whether all bytes of the matrix, and those between its lines, are there.
bool is_there(const Context& context, const Step& step, const SpaceAddress& base, uint64_t bytes) {
  if (base.space == Space::kGlobal)
    return context.engine.image().memory().find(base.offset, bytes) != nullptr;
  const uint64_t end = context.cta.shared.size();
  if (base.space != Space::kShared || bytes > end || base.offset > end - bytes) return false;
  return is_load(step) ||
         reference::concerns_nobody(context.cta.use, context.engine.slice().guessed, base.offset,
                                    base.offset + bytes);
}

void record_requests(RunningWarp& warp, const Context& context, const Step& step,
                     const TransferShape& shape, const SpaceAddress& base) {
  const bool second = step.spelling().space() == Space::kGeneric && base.space == Space::kShared;
  const uint32_t site = step.site + (second ? 1 : 0);
  const trace::Site& described = context.engine.program().sites[site];
  auto& counts = context.engine.counts(context.cta)
                     .by_space[static_cast<size_t>(reference::trace_space(base.space))];
  take_records(warp);
  for (const TransferShape::Request& request : shape.requests) {
    count_access(counts, described, request.lanes, step.move->width);
    if (warp.records) warp.buffer().push({base.offset + request.first, request.shape, site});
  }
  if (warp.records) give_records(warp, warp.room);
}

/// False, with nothing done, where a look at each line or element has to say what is wrong.
bool transfer_at_once(RunningWarp& warp, const Context& context, const Step& step, uint32_t pc) {
  const TransferShape* shape = warp.transfers->find(pc, stride_of(context, step));
  if (shape == nullptr) return false;
  const SpaceAddress base = base_of(context, step);
  if (base.offset % shape->element != 0 || !is_there(context, step, base, shape->bytes))
    return false;
  // One look serves all: compiled code is watched by allocations (ValueWatch::Grain).
  const auto how = is_load(step) ? reference::Access::kRead : reference::Access::kWrite;
  if (base.space == Space::kGlobal && !context.watch(base.offset, shape->element, 0, how))
    return true;
  record_requests(warp, context, step, *shape, base);
  return true;
}

}  // namespace

TransferTable::TransferTable(const Analysis& analysis, trace::ShapeTable& shapes)
    : analysis_(analysis), shapes_(shapes) {
  for (const Step& step : analysis.code->steps)
    entries_.push_back(step.move == nullptr ? nullptr : std::make_unique<Entry>());
}

const TransferShape* TransferTable::find(uint32_t pc, uint64_t stride) {
  if (entries_[pc] == nullptr || stride > kLongestStride) return nullptr;
  Entry& entry = *entries_[pc];
  const TransferShape* recent = entry.recent.load(std::memory_order_acquire);
  if (recent != nullptr && recent->stride == stride) return recent;
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(entry.all, stride, [](const auto& one) { return one->stride; });
  if (found != entry.all.end()) return entry.recent = found->get();
  if (entry.all.size() == kMostStrides) return nullptr;
  auto made = make(*analysis_.code->steps[pc].move, stride);
  if (made == nullptr) return nullptr;
  return entry.recent = entry.all.emplace_back(std::move(made)).get();
}

std::unique_ptr<const TransferShape> TransferTable::make(const FragmentMove& move,
                                                         uint64_t stride) {
  const OperandMap& map = move.plan.map;
  if (map.products != 1) return nullptr;
  auto made = std::make_unique<TransferShape>();
  made->stride = stride;
  made->element = static_cast<uint64_t>(std::max(8, map.element_bits)) / 8;
  for (uint32_t place = 0; place < static_cast<uint32_t>(map.size()); ++place)
    made->bytes = std::max(made->bytes, move.plan.bit_of(place, stride) / 8 + made->element);
  for (const PerLane<uint32_t>& request : move.requests) {
    TransferShape::Request one;
    trace::Shape shape;
    for (size_t lane = 0; lane < request.size(); ++lane) {
      if (request[lane] == FragmentMove::kNobody) continue;
      const uint64_t offset = move.plan.bit_of(request[lane], stride) / 8;
      if (shape.mask == 0) one.first = offset;
      shape.mask |= 1u << lane;
      shape.offset[lane] = static_cast<int32_t>(offset - one.first);
    }
    const auto id = shapes_.intern(shape);
    if (!id || shape.mask == 0) return nullptr;
    one.shape = *id, one.lanes = shape.mask;
    made->requests.push_back(one);
  }
  return made;
}

int32_t transfer(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  RunningWarp& warp = running(c);
  const Step& step = step_at(warp, pc);
  if (lanes != ~0u || !step.dropped) return interpret(c, pc, mask, lanes);
  const Context context = context_at(warp, pc, mask, lanes);
  if (!transfer_at_once(warp, context, step, pc)) return interpret(c, pc, mask, lanes);
  if (!is_load(step)) c->acted = 1;
  return context.failed() ? 1 : 0;
}

}  // namespace warpledger::exec::jit
