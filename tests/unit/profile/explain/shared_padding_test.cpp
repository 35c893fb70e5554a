#include "warpledger/profile/explain/shared_padding.h"

#include "tests/support/law.h"
#include "warpledger/memory/banks.h"

namespace warpledger::profile {
namespace {

constexpr trace::Site kLoad = {
    .space = trace::Space::kShared, .kind = trace::Kind::kLoad, .width = 4};

AccessExample strided(uint64_t bytes) {
  AccessExample example{.mask = ~0u};
  for (size_t lane = 0; lane < trace::kLanes; ++lane) example.address[lane] = bytes * lane;
  return example;
}

uint32_t counted_at(const AccessExample& example, uint64_t row, uint64_t pad) {
  memory::Lanes lanes{example.mask, 4, example.address};
  for (uint64_t& address : lanes.address) address += address / row * pad;
  return memory::shared_wavefronts(lanes).total;
}

LAW(SharedPadding, LeavesWhatItSaysAndNeverMoreThanBefore) {
  AccessExample example{.mask = static_cast<uint32_t>(rng.bits() | 1)};
  for (uint64_t& address : example.address)
    address = 4 * static_cast<uint64_t>(rng.between(0, 64 * rng.size()));
  const auto padding = find_padding(example, kLoad);
  if (!padding) return;
  EXPECT_LT(padding->after, padding->before);
  EXPECT_EQ(padding->after, counted_at(example, padding->row_bytes, padding->pad_bytes));
}

TEST(SharedPadding, OfAColumnIsAWordARow) {
  const auto padding = find_padding(strided(128), kLoad);
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->row_bytes, 128u);
  EXPECT_EQ(padding->pad_bytes, 4u);
  EXPECT_EQ(padding->before, 32u);
  EXPECT_EQ(padding->after, 1u);
}

TEST(SharedPadding, IsNotFoundWhereNothingConflicts) {
  EXPECT_FALSE(find_padding(strided(4), kLoad));
}

TEST(SharedPadding, KeepsToTheRowThatIsDeclared) {
  const auto padding = find_padding(strided(192), kLoad, 192);
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->row_bytes, 192u);
}

TEST(SharedArray, IsTheOneThatTheLineIndexes) {
  const std::vector<std::string> lines = {"__shared__ float a[8][16];",
                                          "  __shared__ double b[kRows][kColumns]; // tile",
                                          "y = b[i][j] + c[k];"};
  const auto array = shared_array_at(lines, 3);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->element_bytes, 8u);
  EXPECT_EQ(array->row_bytes, 0u);
  EXPECT_EQ(array->padded(1), "__shared__ double b[kRows][kColumns + 1];");
}

TEST(SharedArray, OfNumbersHasRowsAndWiderOnes) {
  const auto array =
      shared_array_at({"__shared__ __align__(16) half s[2][64][32];", "x = s[0][i][j];"}, 2);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->row_bytes, 64u);
  EXPECT_EQ(array->padded(8), "__shared__ __align__(16) half s[2][64][40];");
}

TEST(SharedArray, IsNotReadWhereItsSizeIsNotKnown) {
  EXPECT_FALSE(shared_array_at({"__shared__ Record r[8][8];", "x = r[i][j];"}, 2));
  EXPECT_FALSE(shared_array_at({"__shared__ float r[64];", "x = r[i];"}, 2));
  EXPECT_FALSE(shared_array_at({"extern __shared__ float r[];", "x = r[i];"}, 2));
  EXPECT_FALSE(shared_array_at({"x = r[i];"}, 7));
}

LAW(SharedArray, OfAnyTextIsAnAnswer) {
  const std::string_view letters = "__shared__ float a[]3;=";
  std::vector<std::string> lines(3);
  for (std::string& line : lines) {
    if (rng.coin()) line = "__shared__ float a[";
    for (int64_t i = rng.between(0, rng.size()); i > 0; --i) line += rng.pick(letters);
  }
  const auto array = shared_array_at(lines, static_cast<uint32_t>(rng.between(0, 4)));
  if (!array) return;
  EXPECT_GT(array->padded(1).size() + 1, array->declaration.size());
}

}  // namespace
}  // namespace warpledger::profile
