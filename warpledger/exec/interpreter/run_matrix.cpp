// ldmatrix, stmatrix, movmatrix, mma.sync, wmma.mma. wmma's transfers are in run_transfer.cpp.
#include <cstring>

#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/exec/interpreter/matrix.h"
#include "warpledger/layout/catalog/matrix_moves.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;

int matrices_of(const Step& step) {
  switch (step.variant->get(Slot::kCount)) {
    case Modifier::kX2:
      return 2;
    case Modifier::kX4:
      return 4;
    default:
      return 1;
  }
}

/// The addresses of the rows: lane 8m + r holds row r of matrix m.
struct Rows {
  bool ok = true;
  Accessed accessed;
  PerLane<std::byte*> bytes = {};
};

Rows rows_of(const Context& context, const Step& step, const Value& address, int matrices,
             Access access) {
  Rows rows;
  const Space named = step.spelling().space();
  for (int lane = 0; lane < 8 * matrices; ++lane) {
    const SpaceAddress at =
        context.address(address, named == Space::kGeneric ? Space::kGeneric : Space::kShared, lane);
    if (at.space != Space::kShared && at.space != Space::kSharedCluster) {
      context.fault(step, lane, "a matrix row is outside shared memory", "bad-matrix-row");
    } else {
      rows.bytes[static_cast<size_t>(lane)] = context.bytes(at, 16, lane, access);
    }
    rows.ok = !context.failed();
    if (!rows.ok) return rows;
    rows.accessed.lanes |= 1u << lane;
    rows.accessed.address[static_cast<size_t>(lane)] = at.offset;
  }
  return rows;
}

/// Calls f(register, half, lane, row's lane, column) for each 16-bit element that the warp holds.
template <class F>
void each_element_of(const LinearMap& map, int matrices, F f) {
  const auto& to = map.to();
  const auto elements = static_cast<uint64_t>(map.from().size_of("register"));
  const auto rows = static_cast<uint64_t>(to.size_of("row")),
             cols = static_cast<uint64_t>(to.size_of("col"));
  for (uint64_t lane = 0; lane < kWarpSize; ++lane) {
    for (uint64_t i = 0; i < std::min<uint64_t>(elements, static_cast<uint64_t>(matrices) * 2);
         ++i) {
      const uint64_t at = map(lane * elements + i);
      const uint64_t row = at % rows, col = at / rows % cols, matrix = at / rows / cols;
      f(i / 2, i % 2, static_cast<int>(lane), matrix * 8 + row, col);
    }
  }
}

std::string move_name(const Step& step, const char* what) {
  const std::string name = std::string(what) + ".x" + std::to_string(matrices_of(step));
  return step.variant->has(Modifier::kTrans) ? name + ".trans" : name;
}

bool all_lanes(Context& context, const Step& step) {
  if (context.gather(~Lanes{0}) && context.lanes == ~Lanes{0}) return true;
  if (context.here().wait == Fragment::Wait::kReady) {
    context.fault(step, __builtin_ctz(context.here().lanes),
                  "a matrix instruction needs all 32 lanes of the warp", "partial-warp");
  }
  return false;
}

Outcome run_ldmatrix(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!all_lanes(context, step)) return Outcome::kStay;
  const int matrices = matrices_of(step);
  const Rows rows = rows_of(context, step, step.operands[1], matrices, Access::kRead);
  if (!rows.ok) return Outcome::kStay;
  record(context, step, Space::kShared, step.spelling().space() == Space::kGeneric ? 1 : 0,
         rows.accessed, 16);
  if (step.dropped) return Outcome::kNext;
  const auto move = find_matrix_move(move_name(step, "ldmatrix"));
  WL_CHECK(move.ok());
  MatrixRegisters registers(static_cast<size_t>(matrices), PerLane<uint64_t>{});
  each_element_of(move->map, matrices,
                  [&](uint64_t reg, uint64_t half, int lane, uint64_t row, uint64_t col) {
                    uint16_t element = 0;
                    std::memcpy(&element, rows.bytes[row] + 2 * col, sizeof element);
                    registers[reg][static_cast<size_t>(lane)] |= uint64_t{element} << (16 * half);
                  });
  write_registers(context, step.operands[0], registers);
  return Outcome::kNext;
}

Outcome run_stmatrix(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!all_lanes(context, step)) return Outcome::kStay;
  const int matrices = matrices_of(step);
  const Rows rows = rows_of(context, step, step.operands[0], matrices, Access::kWrite);
  if (!rows.ok) return Outcome::kStay;
  record(context, step, Space::kShared, step.spelling().space() == Space::kGeneric ? 1 : 0,
         rows.accessed, 16);
  if (step.dropped) return Outcome::kNext;
  const auto move = find_matrix_move(move_name(step, "stmatrix"));
  WL_CHECK(move.ok());
  const MatrixRegisters registers = read_registers(context, step.operands[1]);
  each_element_of(
      move->map, matrices, [&](uint64_t reg, uint64_t half, int lane, uint64_t row, uint64_t col) {
        const auto element =
            static_cast<uint16_t>(registers[reg][static_cast<size_t>(lane)] >> (16 * half));
        std::memcpy(rows.bytes[row] + 2 * col, &element, sizeof element);
      });
  return Outcome::kNext;
}

Outcome run_movmatrix(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!all_lanes(context, step)) return Outcome::kStay;
  if (step.dropped) return Outcome::kNext;
  const auto from = find_matrix_move("movmatrix"), to = find_matrix_move("movmatrix.trans");
  WL_CHECK(from.ok() && to.ok());
  const MatrixRegisters source = read_registers(context, step.operands[1]);
  uint16_t matrix[8][8] = {};
  each_element_of(from->map, 1, [&](uint64_t, uint64_t half, int lane, uint64_t row, uint64_t col) {
    matrix[row][col] = static_cast<uint16_t>(source[0][static_cast<size_t>(lane)] >> (16 * half));
  });
  MatrixRegisters result(1, PerLane<uint64_t>{});
  each_element_of(to->map, 1, [&](uint64_t, uint64_t half, int lane, uint64_t row, uint64_t col) {
    result[0][static_cast<size_t>(lane)] |= uint64_t{matrix[row][col]} << (16 * half);
  });
  write_registers(context, step.operands[0], result);
  return Outcome::kNext;
}

Outcome run_product(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (!all_lanes(context, step)) return Outcome::kStay;
  if (step.dropped) return Outcome::kNext;
  const Result<MatrixProduct>& plan = context.engine.product(step.spelling());
  if (!plan) {
    context.fault(step, 0, plan.error().message, "unsupported-opcode");
    return Outcome::kStay;
  }
  const MatrixRegisters a = read_registers(context, step.operands[1]),
                        b = read_registers(context, step.operands[2]);
  const MatrixRegisters c = read_registers(context, step.operands[3]);
  const bool fits = a.size() >= static_cast<size_t>(plan->a.registers()) &&
                    b.size() >= static_cast<size_t>(plan->b.registers()) &&
                    c.size() >= static_cast<size_t>(plan->c.registers());
  if (!fits) {
    context.fault(step, 0, "a matrix operand has too few registers", "bad-matrix-operand");
    return Outcome::kStay;
  }
  write_registers(context, step.operands[0], (*plan)(a, b, c));
  return Outcome::kNext;
}

}  // namespace

MatrixRegisters read_registers(const Context& context, const Value& value) {
  MatrixRegisters registers;
  for (const Value& one : context.elements(value)) {
    PerLane<uint64_t>& lanes = registers.emplace_back();
    for (int lane = 0; lane < kWarpSize; ++lane)
      lanes[static_cast<size_t>(lane)] = context.read(one, lane);
  }
  return registers;
}

void write_registers(const Context& context, const Value& value, const MatrixRegisters& registers) {
  const auto elements = context.elements(value);
  for (size_t i = 0; i < elements.size() && i < registers.size(); ++i) {
    for (int lane = 0; lane < kWarpSize; ++lane)
      context.write(elements[i], lane, registers[i][static_cast<size_t>(lane)]);
  }
}

bool needs_whole_warp(Context& context, const Step& step) { return all_lanes(context, step); }

Execute find_matrix(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kLdmatrix, run_ldmatrix},    {Op::kStmatrix, run_stmatrix},
      {Op::kMovmatrix, run_movmatrix},  {Op::kMma, run_product},
      {Op::kWmmaMma, run_product},      {Op::kWmmaLoad, run_wmma_load},
      {Op::kWmmaStore, run_wmma_store},
  };
  return spelling.tier() == ptx::Tier::kAmpere ? find_in(kRows, spelling.op()) : nullptr;
}

}  // namespace warpledger::exec::reference
