#include "warpledger/plan/tensor_memory.h"

#include <fmt/core.h>

#include <numeric>

#include "warpledger/base/units.h"

namespace warpledger::plan {
namespace {

/// The cases of the PTX document: rows of the tensor, CTAs that share it, columns per n.
struct DataPath {
  char layout;
  int64_t rows;
  int cta_group;
  int64_t folds;  // n columns are spread over this many groups of lanes
  const char* use;
};
constexpr DataPath kDataPaths[] = {{'A', 256, 2, 1, "M = 256 over a CTA pair"},
                                   {'B', 128, 2, 2, "M = 128 over a CTA pair"},
                                   {'C', 128, 2, 1, "sparse M = 128 over a pair"},
                                   {'D', 128, 1, 1, "M = 128"},
                                   {'E', 64, 1, 2, "M = 64 with .ws"},
                                   {'F', 64, 1, 1, "M = 64"},
                                   {'G', 32, 1, 4, "M = 32 with .ws"}};

const DataPath* find_data_path(char layout) {
  for (const DataPath& path : kDataPaths) {
    if (path.layout == layout) return &path;
  }
  return nullptr;
}

Diagnostic fault(const Buffer& buffer, std::string message, std::string hint) {
  return {.message = std::move(message),
          .hint = std::move(hint),
          .code = "tensor-layout",
          .at = buffer.where};
}

std::string layouts_for(int64_t rows, int cta_group) {
  std::string text;
  for (const DataPath& path : kDataPaths) {
    if (path.rows != rows || path.cta_group != cta_group) continue;
    text += fmt::format("{}layout {} is for {}", text.empty() ? "" : "; ", path.layout, path.use);
  }
  return text;
}

}  // namespace

Result<int64_t> columns_of(const Buffer& buffer, int cta_group) {
  const DataPath* path = find_data_path(buffer.form.layout);
  if (path == nullptr) {
    return fault(buffer, fmt::format("no data path layout '{}'", buffer.form.layout),
                 "layouts are A to G");
  }
  const std::vector<int64_t>& shape =
      buffer.form.written.empty() ? buffer.shape : buffer.form.written;
  if (shape.size() != 2) return fault(buffer, "a tensor in TMEM has two dimensions", "[rows, n]");
  if (shape[0] != path->rows || cta_group != path->cta_group) {
    return fault(buffer,
                 fmt::format("layout {} holds {} rows with cta_group {}, not {} with cta_group {}",
                             path->layout, path->rows, path->cta_group, shape[0], cta_group),
                 layouts_for(shape[0], cta_group));
  }
  const int64_t folds = buffer.form.is_duplicated ? 1 : path->folds;
  const int64_t bits = buffer.form.is_accumulator ? 32 : buffer.dtype.bits;
  if (shape[1] % folds != 0) {
    return fault(buffer, fmt::format("{} columns do not split into {}", shape[1], folds), "");
  }
  return ceil_div(shape[1] / folds * bits, 32);
}

int64_t allocation_for(int64_t columns) {
  if (columns == 0) return 0;
  int64_t allocation = kSmallestAllocation;
  while (allocation < columns) allocation *= 2;
  return allocation;
}

Status check_allocations(const std::vector<int64_t>& columns) {
  const auto refuse = [](std::string message, std::string hint) {
    return Diagnostic{
        .message = std::move(message), .hint = std::move(hint), .code = "tensor-allocation"};
  };
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] > kTensorColumns || allocation_for(columns[i]) != columns[i]) {
      return refuse(fmt::format("tcgen05.alloc cannot allocate {} columns", columns[i]),
                    "32, 64, 128, 256 or 512");
    }
    if (i > 0 && columns[i] > columns[i - 1]) {
      return refuse(
          fmt::format("an allocation of {} columns follows one of {}", columns[i], columns[i - 1]),
          "successive allocations of a CTA must not grow: allocate the largest first");
    }
  }
  const int64_t sum = std::accumulate(columns.begin(), columns.end(), int64_t{0});
  if (sum <= kTensorColumns) return {};
  return refuse(fmt::format("the allocations add up to {} columns of {}", sum, kTensorColumns), "");
}

}  // namespace warpledger::plan
