// The fifth-generation tensor core: UTCHMMA, UTCQMMA, UTCIMMA and UTCOMMA multiply, UTCCP copies
// from shared into tensor memory, UTCBAR arrives at an mbarrier when all before it is done. A
// single thread asks; it is checked then and done when somebody waits (tensor_work.h).
//
// A product's operands, in order: A as gdesc[UR] (its descriptor, a pair) or tmem[UR]; B's
// gdesc[UR]; D; tmem and idesc of a pair of registers, the metadata of a sparse A and the
// instruction descriptor; a first uniform register of the lanes of D to keep (of .WS: the mask of
// columns), if any; tmem[UR] of a pair, the scales of A and of B, if any; whether D is added; the
// scale of D, if any. What follows a gdesc says which operand the core keeps or has kept, which
// changes no value.
#include <algorithm>
#include <span>

#include "warpledger/exec/machine/bulk_copy.h"
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/shared.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/machine/tensor_work.h"
#include "warpledger/exec/semantics/tensor_multiply.h"
#include "warpledger/exec/semantics/tensor_transfer.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

struct ProductOperands {
  const Operand* a = nullptr;
  const Operand* b = nullptr;
  const Operand* d = nullptr;
  const Operand* descriptor = nullptr;
  const Operand* mask = nullptr;
  const Operand* scales = nullptr;
  const Operand* adds = nullptr;
  uint32_t scale_d = 0;
  bool is_known = false;
};
ProductOperands product_operands(const Instruction& instruction) {
  const auto& list = instruction.operands;
  if (list.size() < 6) return {};
  ProductOperands all{.a = &list[0], .b = &list[1], .d = &list[2], .descriptor = &list[4]};
  for (const Operand& operand : std::span(list).subspan(5)) {
    if (is_predicate(operand))
      all.adds = &operand;
    else if (operand.kind == OperandKind::kAddress)
      all.scales = &operand;
    else if (operand.kind == OperandKind::kUniform)
      all.mask = &operand;
    else
      all.scale_d = operand.immediate;
  }
  all.is_known = all.b->kind == OperandKind::kUniform && all.d->kind == OperandKind::kAddress &&
                 all.descriptor->kind == OperandKind::kUniform && all.adds != nullptr;
  return all;
}

/// Whether the words behind a gdesc are those that change no value.
bool knows_selector(const Operand& operand) {
  static constexpr std::string_view kKnown[] = {"A_KEEP",  "A_REUSE", "B_KEEP", "B_REUSE",
                                                "BUFFER1", "BUFFER2", "BUFFER3"};
  std::string_view rest = operand.selector;
  while (!rest.empty()) {
    if (rest.starts_with('.')) rest.remove_prefix(1);
    const size_t dot = std::min(rest.find('.'), rest.size());
    if (std::ranges::find(kKnown, rest.substr(0, dot)) == std::end(kKnown)) return false;
    rest.remove_prefix(dot);
  }
  return true;
}

/// UTCHMMA's types are told by the instruction descriptor alone: code 2 is tf32.
TensorSpelling spelling_of(const Instruction& instruction, const ProductOperands& operands,
                           uint32_t descriptor) {
  constexpr uint32_t kTypeAt = 7, kTypeMask = 7, kTf32 = 2;
  const std::string_view opcode = instruction.row->opcode;
  const bool scaled = operands.scales != nullptr;
  ptx::Modifier kind = ptx::Modifier::kKindI8;
  if (opcode == "UTCHMMA")
    kind = (descriptor >> kTypeAt & kTypeMask) == kTf32 ? ptx::Modifier::kKindTf32
                                                        : ptx::Modifier::kKindF16;
  else if (opcode == "UTCQMMA")
    kind = scaled ? ptx::Modifier::kKindMxf8f6f4 : ptx::Modifier::kKindF8f6f4;
  else if (opcode == "UTCOMMA")
    kind = ptx::Modifier::kKindMxf4nvf4;
  return {.kind = kind,
          .cta_group = instruction.has(M::k2CTA) ? 2 : 1,
          .weight_stationary = instruction.has(M::kWS),
          .scale_every = scaled ? instruction.has(M::k4X) ? 16U : 32U : 0};
}

bool find_parts(Context& context, const Instruction& instruction, TensorMultiply& work) {
  Block* own = context.block;
  work.parts[0] = {&own->tensor, own->shared};
  if (work.plan.cta_group == 1) return true;
  Block* pair = find_pair(context, instruction);
  if (pair == nullptr) return false;
  for (Block* block : {own, pair}) work.parts[block->rank & 1] = {&block->tensor, block->shared};
  return true;
}

/// An operand in shared memory, which every block of the pair has; false after a fault.
bool read_descriptor(Context& context, const Instruction& instruction, const Operand& operand,
                     std::span<const TensorPart> parts, uint32_t site, SharedOperand& shape) {
  const uint64_t bits = uniform_pair(context, operand);
  const auto descriptor = decode(bits, DescriptorKind::kTcgen05);
  if (!descriptor) return context.stop(descriptor.error()), false;
  if ((bits >> 52 & 1) != 0)
    return context.stop("the descriptor's absolute leading address is not executed yet",
                        "bad-descriptor"),
           false;
  shape.descriptor = *descriptor;
  const std::vector<uint32_t> chunks = shape.chunks();
  for (const TensorPart& part : parts) {
    if (part.tensor == nullptr) continue;
    const std::string why = find_fault(shape, chunks, part.shared.size(), {});
    if (!why.empty()) return context.stop_at(instruction, why, "out-of-bounds"), false;
    context.recorder->note_operand(context, instruction, site, {shape, chunks, 0});
  }
  return true;
}

/// Words of a mask of lanes: 128 for each block.
void read_mask(const Context& context, const Operand& operand, TensorMultiply& work) {
  for (uint32_t i = 0; i < 4 * static_cast<uint32_t>(work.plan.cta_group); ++i)
    work.kept_lanes.push_back(uniform_word(context, operand, i));
}

void read_scales(const Context& context, const Operand& operand, TensorMultiply& work) {
  work.a_scale = TensorAddress::of(uniform_word(context, operand));
  work.b_scale = TensorAddress::of(uniform_word(context, operand, 1));
}

/// A where it lies in tensor memory, and D: f16 results take a cell each too.
void note_tensor_cells(Context& context, const Instruction& instruction,
                       const TensorMultiply& work) {
  const TensorProduct& plan = work.plan;
  const uint64_t bytes = uint64_t{plan.m} * plan.n * 4;
  const auto note = [&](uint32_t site, TensorAddress at, uint32_t columns, uint64_t moved) {
    context.recorder->note_cells(context, instruction, site, at, columns, moved);
  };
  if (!work.a_is_shared)
    note(0, work.a_in_tensor, work.columns_of_a(), uint64_t{plan.m} * work.columns_of_a() * 4);
  if (work.adds) note(2, work.d, plan.columns(), bytes);
  note(3, work.d, plan.columns(), bytes);
}

std::string refusal_of(const Context& context, const ProductOperands& operands,
                       const TensorMultiply& work) {
  const bool masks_columns = work.plan.weight_stationary && operands.mask != nullptr;
  if (masks_columns && uniform_pair(context, *operands.mask) != 0) return "a zero-column mask";
  return work.refusal();
}

/// The product as asked for; null after a fault.
std::shared_ptr<TensorMultiply> read_product(Context& context, const Instruction& instruction) {
  const auto stop = [&](const std::string& why, const char* code) {
    context.stop_at(instruction, why, code);
    return nullptr;
  };
  const ProductOperands operands = product_operands(instruction);
  if (!operands.is_known || !knows_selector(*operands.a) || !knows_selector(*operands.b))
    return stop("its operands are not known", "unsupported-opcode");
  const uint32_t descriptor = uniform_word(context, *operands.descriptor);
  const auto plan = plan_tensor_product(spelling_of(instruction, operands, descriptor), descriptor);
  if (!plan) return context.stop(plan.error()), nullptr;
  auto work = std::make_shared<TensorMultiply>();
  work->plan = *plan;
  if (!find_parts(context, instruction, *work)) return nullptr;
  work->d = tensor_address(context, *operands.d);
  work->a_is_shared = operands.a->kind == OperandKind::kUniform;
  if (!work->a_is_shared) work->a_in_tensor = tensor_address(context, *operands.a);
  if (operands.mask != nullptr && !plan->weight_stationary)
    read_mask(context, *operands.mask, *work);
  if (operands.scales != nullptr) read_scales(context, *operands.scales, *work);
  work->adds = Lane(context, 0).predicate(*operands.adds);
  work->scale_d = static_cast<int>(operands.scale_d);
  const std::string refused = refusal_of(context, operands, *work);
  if (!refused.empty()) return stop(refused + " is not executed yet", "unsupported-opcode");
  const std::string missing = work->missing_cells();
  if (!missing.empty()) return stop(missing, "out-of-bounds");
  work->a = work->shape_of(true), work->b = work->shape_of(false);
  const bool found = (!work->a_is_shared || read_descriptor(context, instruction, *operands.a,
                                                            work->parts, 0, work->a)) &&
                     read_descriptor(context, instruction, *operands.b, work->parts, 1, work->b);
  return found ? work : nullptr;
}

}  // namespace

void multiply_in_tensor_memory(Context& context, const Instruction& instruction, Lanes) {
  const std::shared_ptr<const TensorMultiply> work = read_product(context, instruction);
  if (work == nullptr) return;
  note_tensor_cells(context, instruction, *work);
  const bool is_pair = work->plan.cta_group == 2;
  const uint32_t rank = context.block->rank;
  context.block->tensor_queue.push_back(
      {.run =
           [work, is_pair, rank, cluster = context.block->cluster] {
             // Without a block that has ended there is nothing to read.
             if (!is_pair || cluster->blocks[rank ^ 1] != nullptr) (*work)();
           },
       .first_column = work->d.column,
       .columns = work->plan.columns(),
       .writes_pair = is_pair,
       .text = instruction.text});
}

/// tmem[to], gdesc[from].
void copy_to_tensor_memory(Context& context, const Instruction& instruction, Lanes) {
  const bool spread = instruction.has(M::k4x32dp128bit), narrow = instruction.has(M::k128dp128bit);
  auto copy = std::make_shared<TensorCopy>(*TensorCopy::of(spread   ? ptx::Modifier::k32x128b
                                                           : narrow ? ptx::Modifier::k128x128b
                                                                    : ptx::Modifier::k128x256b));
  copy->to = tensor_address(context, instruction.operands[0]);
  Block* own = context.block;
  const TensorPart alone[] = {{&own->tensor, own->shared}};
  if (!read_descriptor(context, instruction, instruction.operands[1], alone, 0, copy->from)) return;
  if (!own->tensor.holds(copy->to, kTensorLanes, copy->columns()))
    return context.stop(instruction.text +
                            " copies to columns of tensor memory that are not "
                            "allocated, or not to lane 0",
                        "out-of-bounds");
  context.recorder->note_cells(context, instruction, 1, copy->to, copy->columns(),
                               16 * copy->repeats * copy->from.chunks().size());
  own->tensor_queue.push_back({.run = [copy, own] { (*copy)(own->shared, own->tensor); },
                               .first_column = copy->to.column,
                               .columns = copy->columns(),
                               .text = instruction.text});
}

/// [mbarrier], URZ{, mask of blocks}.
void commit_tensor_work(Context& context, const Instruction& instruction, Lanes) {
  const auto& operands = instruction.operands;
  const PhasePlace named = find_phase(context, instruction, uniform_word(context, operands[0]));
  if (named.owner == nullptr) return;
  uint32_t ranks = 1U << named.owner->rank;
  if (instruction.has(M::kMULTICAST)) ranks = uniform_word(context, operands[2]) & 0xffff;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    const PhasePlace place = find_phase(context, instruction, rank << kRankShift | named.offset);
    if (place.owner == nullptr) return;
    if (load_phase(place).expected == 0)
      return context.stop(
          instruction.text + ": the mbarrier was never initialized, or was invalidated",
          "bad-mbarrier");
  }
  context.block->tensor_queue.push_back(
      {.run =
           [ranks, offset = named.offset, cluster = context.block->cluster] {
             for (uint32_t rank = 0; rank < cluster->blocks.size(); ++rank) {
               Block* block = cluster->blocks[rank];
               if ((ranks >> rank & 1) != 0 && block != nullptr)
                 arrive_from_outside({block, offset});
             }
           },
       .barrier = named.offset,
       .ranks = ranks});
  ++context.block->cluster->events;
}

}  // namespace warpledger::exec::machine
