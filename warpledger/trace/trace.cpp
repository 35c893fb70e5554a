#include "warpledger/trace/trace.h"

#include <array>

namespace warpledger::trace {
namespace {

template <size_t N>
std::string_view name_at(const std::array<std::string_view, N>& names, size_t index) {
  return index < N ? names[index] : "?";
}

}  // namespace

std::string_view to_text(Space space) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "global", "shared", "local", "constant", "tensor", "texture", "surface", "none"};
  return name_at(kNames, static_cast<size_t>(space));
}

std::string_view to_text(Kind kind) {
  static constexpr std::array<std::string_view, kKinds> kNames = {
      "load",           "store",         "atomic",        "compare_swap",
      "reduction",      "async_copy",    "load_matrix",   "store_matrix",
      "bulk_copy",      "prefetch",      "bulk_store",    "bulk_reduction",
      "matrix_operand", "matrix_addend", "matrix_result", "tensor_copy"};
  return name_at(kNames, static_cast<size_t>(kind));
}

std::string_view to_text(CacheOperator cache) {
  static constexpr std::array<std::string_view, 6> kNames = {"default",  "global",   "stream",
                                                             "last_use", "volatile", "no_allocate"};
  return name_at(kNames, static_cast<size_t>(cache));
}

std::string_view to_text(Mark mark) {
  static constexpr std::array<std::string_view, 5> kNames = {"cta_start", "use", "barrier",
                                                             "arrive", "warp_end"};
  return name_at(kNames, static_cast<size_t>(mark));
}

}  // namespace warpledger::trace
