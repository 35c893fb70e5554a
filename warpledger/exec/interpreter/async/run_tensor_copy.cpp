// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: boxes of a tensor (tensor_map.h).
#include <fmt/core.h>

#include <cstring>

#include "warpledger/exec/decode/tensor_copy.h"
#include "warpledger/exec/interpreter/async/bulk.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/traffic.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

constexpr uint64_t kTileAlignment = 128;

/// [map, {x, y}]: the map and the corner. Nothing after a fault.
struct Asked {
  TensorMap map;
  std::array<int32_t, kMostDimensions> corner = {};
};

std::optional<TensorMap> read_map(const Context& context, const Step& step, const Value& address,
                                  int lane, Space space) {
  const SpaceAddress at = context.address(address, space, lane);
  const std::byte* bytes = context.bytes(at, kTensorMapBytes, lane, Access::kRead);
  if (bytes == nullptr) return {};
  auto map = decode_tensor_map({bytes, kTensorMapBytes});
  if (map) {
    const Status fine = check(*map);
    if (fine) return *map;
    context.fault(step, lane, fine.error().message, fine.error().code, fine.error().hint);
  } else {
    context.fault(step, lane, map.error().message, map.error().code, map.error().hint);
  }
  return {};
}

uint32_t dimensions_of(const Step& step) {
  switch (step.variant->get(Slot::kGeometry)) {
    case Modifier::k1d:
      return 1;
    case Modifier::k2d:
      return 2;
    case Modifier::k3d:
      return 3;
    case Modifier::k4d:
      return 4;
    default:
      return 5;
  }
}

std::optional<Asked> read_asked(const Context& context, const Step& step, const Value& operand,
                                int lane) {
  const auto parts = context.children(operand);
  const auto map = read_map(context, step, parts[0], lane, Space::kGeneric);
  if (!map) return {};
  Asked asked{.map = *map};
  const auto corner = parts.size() > 1 ? context.elements(parts[1]) : std::span<const Value>();
  if (corner.size() != map->rank || dimensions_of(step) != map->rank) {
    context.fault(
        step, lane,
        fmt::format("'.{}d' on a tensor map of {} dimensions", dimensions_of(step), map->rank),
        "bad-tensor-map");
    return {};
  }
  for (size_t d = 0; d < corner.size(); ++d)
    asked.corner[d] = static_cast<int32_t>(context.read(corner[d], lane));
  return asked;
}

bool is_refused(const Context& context, const Step& step, int lane) {
  const Modifier mode = step.variant->get(Slot::kLoadMode);
  if (mode == Modifier::kNone || mode == Modifier::kTile) return false;
  context.fault(step, lane, fmt::format("'.{}' copies are not executed yet", ptx::to_text(mode)),
                "unsupported-opcode", "see docs/hopper-blackwell.md");
  return true;
}

/// Global memory of each run of the box is there; false after a fault.
bool check_runs(const Context& context, const Step& step, int lane, const Box& box, Access access) {
  DeviceMemory& memory = context.engine.image().memory();
  for (const BoxRun& run : box.runs) {
    if (memory.find(run.global, run.bytes) == nullptr) {
      context.fault(step, lane,
                    fmt::format("out-of-bounds global access of a tensor copy, {} bytes at {:#x}: "
                                "{}",
                                run.bytes, run.global, memory.explain(run.global, run.bytes)),
                    "out-of-bounds", "the tensor map describes more than the allocation holds");
      return false;
    }
    if (!context.watch(run.global, run.bytes, lane, access)) return false;
  }
  return true;
}

bool check_alignment(const Context& context, const Step& step, int lane, uint64_t offset) {
  if (offset % kTileAlignment == 0) return true;
  context.fault(step, lane, fmt::format("misaligned tile of a tensor copy at shared {:#x}", offset),
                "misaligned-access", "the address must be a multiple of 128");
  return false;
}

/// So that a box is not larger than what holds it. Whether each piece is inside, who moves it asks.
bool check_box(const Context& context, const Step& step, int lane, const TensorMap& map,
               uint64_t offset) {
  const uint64_t end = context.cta.shared.size();
  if (offset < end && map.last_row() < end - offset) return true;
  context.fault(step, lane,
                fmt::format("out-of-bounds shared access of a tensor copy: its last row begins {} "
                            "bytes after {:#x}, and the block's shared memory has {} bytes",
                            map.last_row(), offset, end),
                "out-of-bounds");
  return false;
}

std::shared_ptr<BulkBytes> read_box(const Context& context, const Step& step, const TensorMap& map,
                                    const Box& box) {
  const DeviceMemory& memory = context.engine.image().memory();
  auto what = std::make_shared<BulkBytes>();
  if (!step.dropped) what->bytes.resize(map.box_bytes());
  what->mode = static_cast<uint8_t>(1 + static_cast<int>(map.swizzle));
  what->step = &step;
  uint32_t from = 0;
  for (const BoxPiece& piece : box.pieces) {
    // Of a dropped copy it is known where the bytes go, and that is all.
    if (!step.dropped)
      read_piece(map, piece, memory.find(piece.global, piece.bytes), what->bytes.data() + from);
    what->pieces.push_back({piece.shared, from, piece.bytes});
    from += piece.bytes;
  }
  return what;
}

// [dst], [map, corner], [mbarrier]{, mask}.
void load(const Context& context, const Step& step, int lane) {
  const SpaceAddress to = context.address(step.operands[0], Space::kSharedCluster, lane);
  const auto asked = read_asked(context, step, step.operands[1], lane);
  if (!asked) return;
  const auto place = find_load_place(context, step, lane, to);
  if (!place || !check_alignment(context, step, lane, place->offset) ||
      !check_box(context, step, lane, asked->map, place->offset))
    return;
  const Box box = box_of(asked->map, asked->corner, place->offset);
  if (!check_runs(context, step, lane, box, Access::kRead)) return;
  BulkLoad copy{.what = read_box(context, step, asked->map, box),
                .transactions = asked->map.moved_bytes(),
                .barrier = context.address(step.operands[2], Space::kSharedCluster, lane),
                .ranks = 1u << place->rank,
                .multicast = step.variant->has(Modifier::kMulticastCluster)};
  if (copy.multicast) copy.ranks = context.read(step.operands[3], lane) & 0xffff;
  start_load(context, step, lane, copy);
  if (context.failed()) return;
  for (const BoxRun& run : box.runs) record_run(context, step, run.global, run.bytes);
  record_shared_run(context, step, place->offset, copy.transactions,
                    __builtin_popcount(copy.ranks));
}

// [map, corner], [src]. What lies outside the tensor is not written.
void store(const Context& context, const Step& step, int lane) {
  const auto asked = read_asked(context, step, step.operands[0], lane);
  if (!asked) return;
  const SpaceAddress from = context.address(step.operands[1], Space::kShared, lane);
  if (!check_alignment(context, step, lane, from.offset)) return;
  const bool reduces = step.spelling().op() == Op::kCpReduceAsyncBulkTensor;
  if (!check_box(context, step, lane, asked->map, from.offset)) return;
  if (reduces && packing_of(asked->map.element).elements != 1)
    return context.fault(step, lane, "a reduction of packed elements", "unsupported-opcode");
  auto box =
      std::make_shared<Box>(box_of(asked->map, asked->corner, static_cast<uint32_t>(from.offset)));
  if (!check_runs(context, step, lane, *box, reduces ? Access::kAtomic : Access::kWrite)) return;
  for (const BoxPiece& piece : box->pieces) {
    if (uint64_t{piece.shared} + piece.bytes > context.cta.shared.size())
      return context.fault(step, lane, "out-of-bounds shared read of a tensor copy",
                           "out-of-bounds");
  }
  Variant variant = *step.variant;
  variant.type[0] = type_info(reduced_type(asked->map.element));
  DeviceMemory& memory = context.engine.image().memory();
  if (!step.dropped)
    start_store(context, lane, [&cta = context.cta, &memory, box, variant, reduces] {
      for (const BoxPiece& piece : box->pieces) {
        if (!piece.inside) continue;
        std::byte* to = memory.find(piece.global, piece.bytes);
        if (to == nullptr) continue;  // the kernel has freed it since
        const std::byte* source = cta.shared.data() + piece.shared;
        if (reduces)
          reduce_into(variant, to, source, piece.bytes);
        else
          std::memcpy(to, source, piece.bytes);
      }
    });
  uint64_t bytes = 0;
  for (const BoxRun& run : box->runs) {
    record_run(context, step, run.global, run.bytes);
    bytes += run.bytes;
  }
  record_shared_run(context, step, from.offset, bytes);
}

Outcome run_tensor(Context& context, const Step& step) {
  const bool stores = step.variant->has(Modifier::kBulkGroup);
  for_each_lane(issuing_lanes(context, step), [&](int lane) {
    if (context.failed() || is_refused(context, step, lane)) return;
    (stores ? store : load)(context, step, lane);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

}  // namespace

Execute find_tensor_copy(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kCpAsyncBulkTensor, run_tensor},
      {Op::kCpReduceAsyncBulkTensor, run_tensor},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
