// From spellings of mma and wmma to the catalog's fragments.
#include <fmt/core.h>

#include "warpledger/exec/semantics/matrix.h"
#include "warpledger/layout/catalog/fragment.h"

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Type;

Diagnostic refused(const ptx::Spelling& spelling, const std::string& why) {
  return {.message = fmt::format("'{}' is not executed yet: {}", spelling.text, why),
          .code = "unsupported-opcode"};
}

Result<OperandMap> operand_map(const FragmentKey& key, Type type) {
  WL_TRY(const Fragment fragment, find_fragment(key));
  OperandMap map{.rows = fragment.rows,
                 .cols = fragment.cols,
                 .elements = fragment.elements,
                 .element_bits = fragment.element_bits,
                 .type = type_info(type)};
  map.products = static_cast<int>(fragment.map.to().size_of("product"));
  const auto registers = static_cast<uint64_t>(fragment.map.from().size_of("register"));
  const auto rows = static_cast<uint64_t>(fragment.map.to().size_of("row"));
  const auto cols = static_cast<uint64_t>(fragment.map.to().size_of("col"));
  for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
    for (uint64_t i = 0; i < static_cast<uint64_t>(fragment.elements); ++i) {
      const uint64_t at = fragment.map(lane * registers + i);
      const uint64_t row = at % rows, col = at / rows % cols, product = at / rows / cols;
      map.place.push_back(static_cast<uint32_t>((product * static_cast<uint64_t>(map.rows) + row) *
                                                    static_cast<uint64_t>(map.cols) +
                                                col));
    }
  }
  return map;
}

// a, b, c, d types as written; wmma with f16 operands writes d and c only.
struct Types {
  Type d, a, b, c;
};
Types types_of(const ptx::Spelling& spelling) {
  if (spelling.type_count == 2) return {spelling.type(0), Type::kF16, Type::kF16, spelling.type(1)};
  return {spelling.type(0), spelling.type(1), spelling.type(2), spelling.type(3)};
}

bool is_column(const ptx::Spelling& spelling, int n) {
  return spelling.get(Slot::kLayout, n) == Modifier::kCol;
}

struct Request {
  FragmentKey key;
  Type type;
};

Result<OperandMap> find(Request request, Operand operand) {
  const auto element = parse_element(ptx::to_text(request.type));
  if (!element)
    return Diagnostic{.message = fmt::format("the fragment layout of {} is not known",
                                             ptx::to_text(request.type))};
  request.key.operand = operand;
  request.key.element = *element;
  return operand_map(request.key, request.type);
}

FragmentKey key_of(const ptx::Spelling& spelling, int arch) {
  return {.family = spelling.op() == Op::kMma ? Family::kMma : Family::kWmma,
          .shape = {spelling.shape.m, spelling.shape.n, spelling.shape.k},
          .arch = arch};
}

}  // namespace

Result<MatrixProduct> plan_product(const ptx::Spelling& spelling, int arch) {
  const bool scaled = spelling.get(Slot::kKind) != Modifier::kNone;
  if (scaled) return refused(spelling, "block scales and narrow kinds are not computed");
  const Types types = types_of(spelling);
  MatrixProduct plan{.m = spelling.shape.m, .n = spelling.shape.n, .k = spelling.shape.k};
  FragmentKey key = key_of(spelling, arch);
  key.column_major = is_column(spelling, 0);
  WL_TRY(plan.a, find({key, types.a}, Operand::kA));
  key.column_major = is_column(spelling, 1);
  WL_TRY(plan.b, find({key, types.b}, Operand::kB));
  key.column_major = false;
  WL_TRY(plan.c, find({key, types.c}, Operand::kC));
  WL_TRY(plan.d, find({key, types.d}, Operand::kC));
  plan.core = numeric::tensor_core(arch, plan.a.type.format);
  plan.rounding = rounding_of(spelling.get(Slot::kRounding));
  plan.satfinite = spelling.has(Modifier::kSatfinite);
  plan.is_and = spelling.has(Modifier::kAnd);
  return plan;
}

Result<MatrixTransfer> plan_transfer(const ptx::Spelling& spelling, int arch) {
  const bool is_a = spelling.has(Modifier::kA), is_b = spelling.has(Modifier::kB);
  FragmentKey key = key_of(spelling, arch);
  MatrixTransfer transfer{.column_major = is_column(spelling, 0)};
  key.column_major = (is_a || is_b) && transfer.column_major;
  WL_TRY(transfer.map, find({key, spelling.type()}, is_a   ? Operand::kA
                                                    : is_b ? Operand::kB
                                                           : Operand::kC));
  transfer.leading = transfer.column_major ? transfer.map.rows : transfer.map.cols;
  return transfer;
}

}  // namespace warpledger::exec
