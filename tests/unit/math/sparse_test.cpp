// Sparse products against dense ones, in every format and order.
#include "interpose/math/sparse.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpledger::math {
namespace {

struct Entry {
  int row, column;
  double value;
};

constexpr int kRows = 5, kColumns = 4, kWide = 3;

std::vector<Entry> entries(bool by_columns) {
  std::vector<Entry> all;
  const int outer = by_columns ? kColumns : kRows, inner = by_columns ? kRows : kColumns;
  for (int i = 0; i < outer; ++i) {
    for (int j = 0; j < inner; ++j) {
      const int row = by_columns ? j : i, column = by_columns ? i : j;
      if ((row * 7 + column * 3) % 5 < 2) all.push_back({row, column, row * 10.0 + column + 1});
    }
  }
  return all;
}

/// A in memory, with 32-bit indices.
struct Held {
  std::vector<int32_t> major, minor;
  std::vector<double> values;
  Sparse sparse;

  Held(SparseFormat format, int base) {
    const bool by_columns = format == SparseFormat::kColumns;
    const std::vector<Entry> all = entries(by_columns);
    for (int i = 0; i <= (by_columns ? kColumns : kRows) && format != SparseFormat::kCoordinates;
         ++i)
      major.push_back(base + static_cast<int>(std::ranges::count_if(all, [&](const Entry& e) {
                        return (by_columns ? e.column : e.row) < i;
                      })));
    for (const Entry& entry : all) {
      if (format == SparseFormat::kCoordinates) major.push_back(entry.row + base);
      minor.push_back((by_columns ? entry.row : entry.column) + base);
      values.push_back(entry.value);
    }
    sparse = {.format = format,
              .rows = kRows,
              .columns = kColumns,
              .count = static_cast<int64_t>(all.size()),
              .major = major.data(),
              .minor = minor.data(),
              .values = values.data(),
              .base = base,
              .type = Type::kR64F};
  }
};

double at(int i, int j) {
  for (const Entry& entry : entries(false)) {
    if (entry.row == i && entry.column == j) return entry.value;
  }
  return 0;
}

TEST(SparseProducts, AreThoseOfTheDenseMatrix) {
  for (int kind = 0; kind < 48; ++kind) {
    const Held a(SparseFormat(kind % 3), kind / 3 % 2);
    const bool a_turned = kind / 6 % 2 != 0, x_turned = kind / 12 % 2 != 0,
               by_rows = kind / 24 != 0;
    const int rows = a_turned ? kColumns : kRows, inner = a_turned ? kRows : kColumns;
    std::vector<double> x_data(60), y_data(60);
    for (size_t i = 0; i < 60; ++i) {
      x_data[i] = static_cast<double>(i % 11) - 5;
      y_data[i] = static_cast<double>(i % 7);
    }
    const std::vector<double> before = y_data;
    const Dense x{x_data.data(), x_turned ? kWide : inner, x_turned ? inner : kWide, 6, by_rows,
                  Type::kR64F};
    const Dense y{y_data.data(), rows, kWide, 7, by_rows, Type::kR64F};
    ASSERT_TRUE(multiply(a.sparse, a_turned ? Op::kTranspose : Op::kNone, x,
                         x_turned ? Op::kTranspose : Op::kNone, 2.0, 3.0, y));
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < kWide; ++j) {
        double sum = 0;
        for (int l = 0; l < inner; ++l)
          sum += (a_turned ? at(l, i) : at(i, l)) *
                 x_data[static_cast<size_t>(x_turned ? x.place(j, l) : x.place(l, j))];
        const auto place = static_cast<size_t>(y.place(i, j));
        EXPECT_DOUBLE_EQ(y_data[place], 2 * sum + 3 * before[place]) << kind;
      }
    }
  }
}

TEST(SparseProducts, RefuseAnIndexOutsideOfTheMatrix) {
  Held a(SparseFormat::kRows, 0);
  a.minor[2] = kColumns;
  std::vector<double> x(kColumns, 1), y(kRows, 9);
  EXPECT_FALSE(multiply(a.sparse, Op::kNone, {x.data(), kColumns, 1, kColumns, false, Type::kR64F},
                        Op::kNone, 1.0, 0.0, {y.data(), kRows, 1, kRows, false, Type::kR64F}));
  EXPECT_EQ(y, std::vector<double>(kRows, 9));
}

}  // namespace
}  // namespace warpledger::math
