// Where registers lie in tensor memory: cells of a transfer do not meet, and span what they say.
#include "warpledger/exec/semantics/tensor_transfer.h"

#include <gtest/gtest.h>

#include <set>

namespace warpledger::exec {
namespace {

using ptx::Modifier;

struct ShapeCase {
  Modifier shape;
  uint32_t registers;  // of .x1
};

class TensorTransferLaw : public ::testing::TestWithParam<ShapeCase> {};

INSTANTIATE_TEST_SUITE_P(Shapes, TensorTransferLaw,
                         ::testing::Values(ShapeCase{Modifier::k32x32b, 1},
                                           ShapeCase{Modifier::k16x64b, 1},
                                           ShapeCase{Modifier::k16x128b, 2},
                                           ShapeCase{Modifier::k16x256b, 4},
                                           ShapeCase{Modifier::k16x32bx2, 1}));

TEST_P(TensorTransferLaw, CellsFillTheExtentOnce) {
  for (uint32_t times = 1; times * GetParam().registers <= 64; times *= 2) {
    for (const bool packed : {false, true}) {
      TensorTransfer transfer{.at = {32, 5},
                              .shape = GetParam().shape,
                              .registers = times * GetParam().registers,
                              .packed = packed};
      if (transfer.shape == Modifier::k16x32bx2)
        transfer.split = transfer.registers * (packed ? 2 : 1);
      std::set<std::pair<uint32_t, uint32_t>> cells;
      for (uint32_t lane = 0; lane < kWarpTensorLanes; ++lane) {
        for (uint32_t r = 0; r < transfer.registers; ++r) {
          const TensorAddress at = transfer.cell(lane, r);
          EXPECT_TRUE(cells.emplace(at.lane, at.column).second);
          if (packed) {
            EXPECT_TRUE(cells.emplace(at.lane, at.column + 1).second);
          }
        }
      }
      const WindowCell extent = transfer.extent();
      EXPECT_EQ(cells.size(), size_t{extent.row} * extent.column);
      EXPECT_EQ(*cells.begin(), std::pair(32U, 5U));
      EXPECT_EQ(*cells.rbegin(), std::pair(31 + extent.row, 4 + extent.column));
    }
  }
}

// ptxas adds the split to the address of the upper half, packed or not.
TEST(TensorTransfer, TheSplitCountsColumns) {
  TensorTransfer transfer{.shape = Modifier::k16x32bx2, .split = 16, .registers = 1};
  EXPECT_EQ(transfer.cell(16, 0).column, 16U);
  transfer.packed = true;
  EXPECT_EQ(transfer.cell(16, 0).column, 16U);
  EXPECT_EQ(transfer.extent().column, 18U);
}

}  // namespace
}  // namespace warpledger::exec
