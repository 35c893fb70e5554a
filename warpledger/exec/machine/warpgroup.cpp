// wgmma: HGMMA, QGMMA, IGMMA and BGMMA multiply when a warp comes to them, each warp its 16 rows.
// Results stay beside the registers until WARPGROUP.DEPBAR says that they are there, so that code
// which does not wait finds the old ones; a product that adds to one in flight sees it.
//
// gdesc[UR4] names four uniform registers: the descriptors of A and B, behind them .negA, .negB,
// .tnspA, .tnspB. Where A is in registers the second pair is B's all the same. `gsb0` ends a group.
#include <algorithm>
#include <span>
#include <utility>

#include "warpledger/exec/machine/bulk_copy.h"
#include "warpledger/exec/machine/record.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/machine/waiting.h"
#include "warpledger/exec/semantics/warpgroup_product.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

constexpr uint32_t kWarpgroupWarps = 4;

ptx::Type element_of(M modifier) {
  switch (modifier) {
    case M::kBF16:
      return ptx::Type::kBf16;
    case M::kTF32:
      return ptx::Type::kTf32;
    case M::kE4M3:
      return ptx::Type::kE4m3;
    case M::kE5M2:
      return ptx::Type::kE5m2;
    case M::kS8:
      return ptx::Type::kS8;
    case M::kU8:
      return ptx::Type::kU8;
    case M::kAND:
      return ptx::Type::kB1;
    default:
      return ptx::Type::kF16;
  }
}

/// The operands by what they are: D, A's registers if any, the descriptors, C, whether it counts.
struct Operands {
  const Operand* d = nullptr;
  const Operand* a = nullptr;
  const Operand* descriptors = nullptr;
  const Operand* c = nullptr;
  const Operand* adds = nullptr;
  bool ends_group = false;
};
Operands operands_of(const Instruction& instruction) {
  Operands all{.d = &instruction.operands[0]};
  for (const Operand& operand : std::span(instruction.operands).subspan(1)) {
    if (operand.kind == OperandKind::kUniform)
      all.descriptors = &operand;
    else if (operand.kind == OperandKind::kRegister)
      (all.descriptors == nullptr ? all.a : all.c) = &operand;
    else if (is_predicate(operand))
      all.adds = &operand;
    else
      all.ends_group = all.ends_group || operand.text == "gsb0";
  }
  return all;
}

/// Modifiers are the shape, D's type (not of integers), then A's and B's where they may differ.
WarpgroupProduct product_of(Context& context, const Instruction& instruction,
                            const Operands& operands) {
  const auto& words = instruction.modifiers.list();
  const bool is_float = instruction.has(M::kF32) || instruction.has(M::kF16);
  const size_t first = is_float ? 2 : 1;
  const auto element = [&](size_t i) { return element_of(i < words.size() ? words[i] : M::kF16); };
  const std::string& says = operands.descriptors->selector;
  const auto has = [&](const char* word) { return says.find(word) != std::string::npos; };
  WarpgroupProduct product{.n = instruction.shape.n,
                           .k = instruction.shape.k,
                           .d = type_info(!is_float                  ? ptx::Type::kS32
                                          : instruction.has(M::kF32) ? ptx::Type::kF32
                                                                     : ptx::Type::kF16),
                           .a = warpgroup_type(element(first)),
                           .a_in_registers = operands.a != nullptr,
                           .negates_a = has("negA"),
                           .negates_b = has("negB"),
                           .a_mn_major = has("tnspA"),
                           .b_mn_major = has("tnspB"),
                           .satfinite = instruction.has(M::kSAT)};
  const std::string_view opcode = instruction.row->opcode;
  const bool two_types = opcode == "QGMMA" || opcode == "IGMMA";
  product.b = two_types ? warpgroup_type(element(first + 1)) : product.a;
  if (product.a_in_registers) product.negates_a = operands.a->negated;
  const bool counts = operands.adds == nullptr || Lane(context, 0).predicate(*operands.adds);
  product.adds = counts && operands.c != nullptr && operands.c->index != kZeroRegister;
  return product;
}

/// An operand in shared memory; false after a fault.
bool find_source(Context& context, const Instruction& instruction, uint64_t bits,
                 SharedOperand shape, std::vector<uint32_t>& chunks, SharedSource& source) {
  const auto descriptor = decode(bits, DescriptorKind::kWgmma);
  if (!descriptor) return context.stop(descriptor.error()), false;
  shape.descriptor = *descriptor;
  chunks = shape.chunks();
  const std::string why = find_fault(shape, chunks, context.block->shared.size(), {});
  if (!why.empty()) return context.stop_at(instruction, why, "out-of-bounds"), false;
  source.shape = shape;
  source.chunks = chunks;
  return true;
}

std::span<uint32_t> words_at(Warp& warp, uint32_t first, size_t registers) {
  return std::span(warp.registers).subspan(size_t{first} * kWarpSize, registers * kWarpSize);
}

/// Calls f(result) for what is in flight, oldest first.
template <class F>
void for_each_result(MatrixGroups& matrix, F f) {
  for (const auto& group : matrix.groups) std::for_each(group.begin(), group.end(), f);
  std::for_each(matrix.open.begin(), matrix.open.end(), f);
}

/// Registers as they will be when all products in flight have ended.
std::vector<uint32_t> read_accumulators(Warp& warp, uint32_t first, size_t registers) {
  const std::span<const uint32_t> now = words_at(warp, first, registers);
  std::vector<uint32_t> words(now.begin(), now.end());
  for_each_result(warp.matrix, [&](const MatrixResult& result) {
    const size_t begin = std::max(first, result.first);
    const size_t end = std::min(first + registers, result.first + result.words.size() / kWarpSize);
    if (begin >= end) return;
    std::copy_n(
        result.words.begin() + static_cast<std::ptrdiff_t>((begin - result.first) * kWarpSize),
        (end - begin) * kWarpSize,
        words.begin() + static_cast<std::ptrdiff_t>((begin - first) * kWarpSize));
  });
  return words;
}

/// A later product of a group takes the place of one with the same registers.
void keep_result(MatrixGroups& matrix, MatrixResult result) {
  std::erase_if(matrix.open, [&](const MatrixResult& one) {
    return one.first == result.first && one.words.size() == result.words.size();
  });
  matrix.open.push_back(std::move(result));
}

struct Sources {
  std::vector<uint32_t> a_chunks, b_chunks;
  SharedSource a, b;
};
bool find_sources(Context& context, const Instruction& instruction, const Operands& operands,
                  const WarpgroupProduct& product, Sources& sources) {
  const uint32_t in_group = context.warp->index % kWarpgroupWarps;
  const auto bits = [&](uint32_t further) {
    return uniform_word(context, *operands.descriptors, further) |
           uint64_t{uniform_word(context, *operands.descriptors, further + 1)} << 32;
  };
  if (!product.a_in_registers) {
    SharedOperand shape = product.shape_of_a();
    sources.a.first = in_group * kWarpgroupRows;
    shape.rows = sources.a.first + kWarpgroupRows;
    if (!find_source(context, instruction, bits(0), shape, sources.a_chunks, sources.a))
      return false;
    context.recorder->note_operand(context, instruction, 0, sources.a);
  }
  SharedOperand shape = product.shape_of_b();
  shape.rows = product.n;
  if (!find_source(context, instruction, bits(2), shape, sources.b_chunks, sources.b)) return false;
  // All four warps multiply by the same B: it is read once.
  if (in_group == 0)
    context.recorder->note_operand(context, instruction, product.a_in_registers ? 0 : 1, sources.b);
  return true;
}

}  // namespace

void multiply_warpgroup(Context& context, const Instruction& instruction, Lanes lanes) {
  Warp& warp = *context.warp;
  if (lanes != ~Lanes{0})
    return context.stop(instruction.text + " needs all lanes of the warp", "partial-warp");
  const Operands operands = operands_of(instruction);
  if (operands.descriptors == nullptr)
    return context.stop(instruction.text + " is not supported", "unsupported-opcode");
  const WarpgroupProduct product = product_of(context, instruction, operands);
  Sources sources;
  if (!find_sources(context, instruction, operands, product, sources)) return;
  MatrixResult result{.first = operands.d->index};
  result.words.resize(size_t{product.results()} * kWarpSize);
  if (product.adds) result.words = read_accumulators(warp, operands.c->index, product.results());
  std::span<const uint32_t> a;
  if (product.a_in_registers) a = words_at(warp, operands.a->index, 4);
  product({.shared = context.block->shared,
           .a = product.a_in_registers ? nullptr : &sources.a,
           .registers = a,
           .b = &sources.b},
          context.loaded.architecture, result.words);
  keep_result(warp.matrix, std::move(result));
  if (!operands.ends_group) return;
  warp.matrix.groups.push_back(std::exchange(warp.matrix.open, {}));
  ++warp.matrix.committed;
}

bool has_products(const Block& block, const Warp& warp) {
  const uint32_t first = warp.index / kWarpgroupWarps * kWarpgroupWarps;
  for (uint32_t i = first; i < first + kWarpgroupWarps && i < block.warps.size(); ++i) {
    const Warp& other = block.warps[i];
    if (other.live != 0 && other.matrix.committed < warp.matrix.wanted) return false;
  }
  return true;
}

/// .ARRIVE orders registers before products: nothing to do here. .DEPBAR.LE gsb0, n: at most n
/// groups are left, of the warpgroup: kernels rely on one warp's waiting for all four.
void synchronize_warpgroup(Context& context, const Instruction& instruction, Lanes lanes) {
  if (instruction.has(M::kARRIVE)) return;
  Warp& warp = *context.warp;
  MatrixGroups& matrix = warp.matrix;
  const size_t left = instruction.operands.back().immediate;
  if (matrix.groups.size() <= left) return;
  matrix.wanted = matrix.committed - left;
  context.repeats = !has_products(*context.block, warp);
  if (context.repeats)
    return for_each_lane(
        lanes, [&](int lane) { warp.state[static_cast<size_t>(lane)] = LaneState::kAtProducts; });
  const auto end = matrix.groups.end() - static_cast<std::ptrdiff_t>(left);
  for (auto group = matrix.groups.begin(); group != end; ++group) {
    for (const MatrixResult& result : *group)
      std::copy(result.words.begin(), result.words.end(),
                words_at(warp, result.first, result.words.size() / kWarpSize).begin());
  }
  matrix.groups.erase(matrix.groups.begin(), end);
}

}  // namespace warpledger::exec::machine
