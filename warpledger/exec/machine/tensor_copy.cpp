// UTMALDG, UTMASTG and UTMAREDG: boxes of a tensor (decode/tensor_map.h). Their first operand names
// registers in a row: the address in shared memory, of a load the mbarrier's, then the coordinates.
#include "warpledger/exec/decode/tensor_copy.h"

#include <fmt/core.h>

#include "warpledger/exec/machine/bulk_copy.h"
#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/shared.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/exec/semantics/atomic.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

constexpr uint32_t kTileAlignment = 128;

uint32_t dimensions_of(const Instruction& instruction) {
  static constexpr M kDimensions[] = {M::k1D, M::k2D, M::k3D, M::k4D};
  for (uint32_t i = 0; i < std::size(kDimensions); ++i)
    if (instruction.has(kDimensions[i])) return i + 1;
  return kMostDimensions;
}

/// The 128 bytes of a map in global memory, or among the kernel's parameters.
const std::byte* map_bytes(const Context& context, uint64_t address) {
  if (address - kParamWindow >= kWindowBytes) return context.memory.find(address, kTensorMapBytes);
  const std::string& bank = context.loaded.banks[0];
  const uint64_t at = address - kParamWindow + context.loaded.layout->parameters;
  if (bank.size() < kTensorMapBytes || at > bank.size() - kTensorMapBytes) return nullptr;
  return reinterpret_cast<const std::byte*>(bank.data() + at);
}

/// The copy that an instruction asks for: the map, the box's corner, and where it lies in shared
/// memory.
struct Asked {
  TensorMap map;
  Box box;
  uint32_t address = 0;
};

std::optional<TensorMap> read_map(Context& context, const Instruction& instruction) {
  const uint64_t address = uniform_pair(context, instruction.operands[1]);
  const std::byte* bytes = map_bytes(context, address);
  if (bytes == nullptr) {
    context.stop_at(instruction, fmt::format("there is no tensor map at 0x{:x}", address),
                    "out-of-bounds");
    return {};
  }
  auto map = decode_tensor_map({bytes, kTensorMapBytes});
  const Status fine = map ? check(*map) : Status(map.error());
  if (fine && map->rank == dimensions_of(instruction)) return *map;
  context.stop_at(
      instruction,
      fine ? fmt::format("the tensor map has {} dimensions", map->rank) : fine.error().message,
      "bad-tensor-map");
  return {};
}

/// Why a box cannot be moved between a block's shared memory and the tensor; "" if it can.
std::string find_fault(const Context& context, const Asked& asked) {
  for (const BoxRun& run : asked.box.runs) {
    if (context.memory.find(run.global, run.bytes) == nullptr)
      return context.memory.explain(run.global, run.bytes);
  }
  const uint32_t rank = asked.address >> kRankShift;
  for (const BoxPiece& piece : asked.box.pieces) {
    if (shared_bytes({find_peer(context, rank), piece.shared}, piece.bytes) == nullptr)
      return fmt::format("the box does not lie in shared memory at 0x{:x}", asked.address);
  }
  return {};
}

/// `first`: the register of the first coordinate, behind the operand's.
std::optional<Asked> read_asked(Context& context, const Instruction& instruction, uint32_t first) {
  const Operand& where = instruction.operands[0];
  const auto map = read_map(context, instruction);
  if (!map) return {};
  Asked asked{.map = *map, .address = uniform_word(context, where)};
  const uint32_t offset = asked.address & kOffsetMask;
  if (offset % kTileAlignment != 0) {
    context.stop_at(instruction,
                    fmt::format("shared 0x{:x} is not a multiple of {}", offset, kTileAlignment),
                    "misaligned-access");
    return {};
  }
  if (map->last_row() > context.block->shared.size()) {  // box_of()'s precondition
    context.stop_at(instruction, "the box is larger than shared memory", "out-of-bounds");
    return {};
  }
  std::array<int32_t, kMostDimensions> corner = {};
  for (uint32_t d = 0; d < map->rank; ++d)
    corner[d] = static_cast<int32_t>(uniform_word(context, where, first + d));
  asked.box = box_of(*map, {corner.data(), map->rank}, offset);
  const std::string why = find_fault(context, asked);
  if (why.empty()) return asked;
  context.stop_at(instruction, why, "out-of-bounds");
  return {};
}

CopyLoad read_box(const Context& context, const Asked& asked) {
  CopyLoad load{.transactions = asked.map.moved_bytes()};
  auto data = std::make_shared<std::vector<std::byte>>(asked.map.box_bytes());
  uint32_t from = 0;
  for (const BoxPiece& piece : asked.box.pieces) {
    read_piece(asked.map, piece, context.memory.find(piece.global, piece.bytes),
               data->data() + from);
    load.pieces.push_back({piece.shared, from, piece.bytes});
    from += piece.bytes;
  }
  load.data = std::move(data);
  return load;
}

/// The rows of the box in global memory; what it has of bytes there.
uint64_t note_rows(Context& context, const Instruction& instruction, const Box& box) {
  uint64_t bytes = 0;
  for (const BoxRun& run : box.runs) {
    context.recorder->note_run(context, instruction, 0, run.global, run.bytes);
    bytes += run.bytes;
  }
  return bytes;
}

/// Writes a piece of a box, or reduces it, where the tensor still is.
struct WritePiece {
  DeviceMemory& memory;
  TypeInfo type;
  std::optional<ptx::Modifier> operation;
  void operator()(const BoxPiece& piece, const std::byte* from) const {
    std::byte* to = piece.inside ? memory.find(piece.global, piece.bytes) : nullptr;
    if (to == nullptr) return;
    if (operation)
      reduce_bytes(type, *operation, to, from, piece.bytes);
    else
      std::copy_n(from, piece.bytes, to);
  }
};

}  // namespace

/// [shared, mbarrier, corner], [map], {mask of blocks in the upper half}.
void load_tensor(Context& context, const Instruction& instruction, Lanes) {
  const auto asked = read_asked(context, instruction, 2);
  if (!asked) return;
  CopyLoad load = read_box(context, *asked);
  load.barrier = uniform_word(context, instruction.operands[0], 1);
  load.multicast = instruction.has(M::kMULTICAST);
  load.of_pair = instruction.has(M::k2CTA);
  load.ranks = load.multicast ? uniform_word(context, instruction.operands[2]) >> 16
                              : 1U << (asked->address >> kRankShift);
  start_load(context, instruction, load);
  note_rows(context, instruction, asked->box);
  for (int i = 0; i < __builtin_popcount(load.ranks); ++i)
    context.recorder->note_run(context, instruction, 1, asked->address, load.transactions);
}

/// [shared, corner], [map]. What lies outside the tensor is not written.
void store_tensor(Context& context, const Instruction& instruction, Lanes lanes) {
  auto asked = read_asked(context, instruction, 1);
  if (!asked) return;
  WritePiece write{.memory = context.memory, .type = type_info(reduced_type(asked->map.element))};
  if (instruction.row->opcode == "UTMAREDG") write.operation = operation_of(instruction);
  if (write.operation && packing_of(asked->map.element).elements != 1)
    return context.stop_at(instruction, "a reduction of packed elements", "unsupported-opcode");
  const uint64_t bytes = note_rows(context, instruction, asked->box);
  context.recorder->note_run(context, instruction, 1, asked->address, bytes);
  start_store(context, lanes,
              [write, from = context.block, box = std::make_shared<const Box>(asked->box)] {
                for (const BoxPiece& piece : box->pieces)
                  write(piece, from->shared.data() + piece.shared);
              });
}

}  // namespace warpledger::exec::machine
