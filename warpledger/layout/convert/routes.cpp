#include "warpledger/layout/convert/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace warpledger::convert {
namespace {

/// Both maps without the warps, which must not exchange anything.
Result<LinearMap> within_warp(const Fragment& fragment) {
  if (fragment.map.from().size_of("warp") == 1) return fragment.map;
  if (fragment.elements != fragment.map.from().size_of("register")) {
    return Diagnostic{
        .message = fmt::format("'{}' has {} elements per thread, which is not a power of two",
                               fragment.name, fragment.elements),
        .code = "layout-mismatch"};
  }
  return restrict_inputs(fragment.map, {"register", "lane"});
}

/// p(0), p(1), ...; a column of a 64-bit element is two words wide.
std::string order_text(const LinearMap& permutation, uint64_t column_words) {
  std::vector<uint64_t> order;
  const uint64_t size = static_cast<uint64_t>(permutation.from().size()) / column_words;
  for (uint64_t k = 0; k < std::min<uint64_t>(size, 16); ++k) {
    order.push_back(permutation(k * column_words) / column_words);
  }
  return fmt::format("{}{}", fmt::join(order, " "), size > 16 ? " ..." : "");
}

/// Nothing moves: what lane and register hold is used as another column.
std::optional<Route> permutation_route(const LinearMap& from, const LinearMap& to, int element_bits,
                                       uint64_t column_words) {
  const auto permutation = column_permutation(from, to);
  if (!permutation) return std::nullopt;
  const LinearMap extended(from.to(), from.to(), [&] {
    std::vector<uint64_t> bases;
    for (int b = 0; b < from.to().bits_of(0); ++b) bases.push_back(uint64_t{1} << b);
    for (const uint64_t base : permutation->bases()) bases.push_back(base << from.to().bits_of(0));
    return bases;
  }());
  const auto renamed = gather_map(*compose(extended, from), to);
  if (!renamed) return std::nullopt;
  auto route = renaming_route(*renamed, element_bits);
  if (!route) return std::nullopt;
  route->name = "k-permutation";
  route->explanation = fmt::format(
      "nothing moves if column k is used as column p(k) and the other operand is fed its k in the "
      "same order, p(0), p(1), ... = {}",
      order_text(*permutation, column_words));
  return route;
}

/// 64-bit elements as pairs of words: a register and a column bit below all others.
Fragment split_words(Fragment fragment) {
  const LinearMap pair(Space({{"register", 2}}), Space({{"col", 2}}), {1});
  fragment.map = reorder_outputs(product(pair, fragment.map), {"row", "col"});
  fragment.cols *= 2;
  fragment.elements *= 2;
  return fragment;
}

bool cheaper(const Route& a, const Route& b) {
  const auto key = [](const Route& route) {
    return std::tuple(route.price.barriers, route.price.wavefronts, route.price.instructions);
  };
  return key(a) < key(b);
}

Result<Conversion> find_word_routes(const Fragment& from, const Fragment& to, int element_bits,
                                    uint64_t column_words) {
  if (from.map.from().size_of("warp") != to.map.from().size_of("warp") ||
      from.map.to() != to.map.to()) {
    return Diagnostic{
        .message = fmt::format("'{}' and '{}' do not hold the same matrix with as many warps",
                               from.name, to.name),
        .hint = fmt::format("{} against {}", to_text(from.map.to()), to_text(to.map.to())),
        .code = "layout-mismatch"};
  }
  for (size_t b = 0; b < from.map.bases_of("warp").size(); ++b) {
    if (from.map.bases_of("warp")[b] != to.map.bases_of("warp")[b]) {
      return Diagnostic{
          .message = "the conversion moves data between warps, which no route covers yet",
          .code = "unsupported-conversion"};
    }
  }
  WL_TRY(const LinearMap source, within_warp(from));
  WL_TRY(const LinearMap target, within_warp(to));
  Conversion conversion;
  conversion.element_bits = element_bits;
  WL_TRY(conversion.gather, gather_map(source, target));
  const auto add = [&](std::optional<Route> route) {
    if (route) conversion.routes.push_back(std::move(*route));
  };
  auto renaming = renaming_route(conversion.gather, element_bits);
  const bool trivial = renaming.has_value();
  add(std::move(renaming));
  if (!trivial) add(permutation_route(source, target, element_bits, column_words));
  add(movmatrix_route(conversion.gather, element_bits));
  if (!trivial) add(shuffle_route(conversion.gather, element_bits));
  for (Route& route : shared_routes(source, target, element_bits)) add(std::move(route));
  if (conversion.routes.empty()) {
    return Diagnostic{
        .message = fmt::format(
            "no route converts elements of {} bits in {} and {} registers per thread", element_bits,
            source.from().size_of("register"), target.from().size_of("register")),
        .hint = "elements of 8, 16, 32 or 64 bits that fill whole registers can be converted",
        .code = "unsupported-conversion"};
  }
  for (const Route& route : conversion.routes) WL_CHECK(is_right(route, from, to, element_bits));
  std::stable_sort(conversion.routes.begin(), conversion.routes.end(), cheaper);
  return conversion;
}

}  // namespace

Result<Conversion> find_routes(const Fragment& from, const Fragment& to, int element_bits) {
  if (element_bits == 64) return find_word_routes(split_words(from), split_words(to), 32, 2);
  return find_word_routes(from, to, element_bits, 1);
}

namespace {

/// What a k-permutation leaves: the same elements under the other layout's names of columns.
LinearMap with_columns_renamed(const LinearMap& map, const LinearMap& permutation) {
  std::vector<uint64_t> bases;
  for (const uint64_t base : map.bases()) {
    const auto at = map.to().unpack(base);
    bases.push_back(
        map.to().pack({at[0], static_cast<int64_t>(permutation(static_cast<uint64_t>(at[1])))}));
  }
  return LinearMap(map.from(), map.to(), bases);
}

/// The bytes of all lanes in `variables` variables of 4 bytes, each named by its element and place.
Tokens tokens_of(const LinearMap& map, int64_t variables, int element_bytes) {
  const auto registers = static_cast<uint64_t>(map.from().size_of("register"));
  Tokens tokens(32);
  for (uint64_t lane = 0; lane < 32; ++lane) {
    for (int64_t v = 0; v < variables; ++v) {
      tokens[lane].emplace_back();
      for (int64_t byte = 4 * v; byte < 4 * v + 4; ++byte) {
        const auto element = static_cast<uint64_t>(byte / element_bytes);
        tokens[lane].back().push_back(static_cast<int64_t>(map(lane * registers + element)) *
                                          element_bytes +
                                      byte % element_bytes);
      }
    }
  }
  return tokens;
}

}  // namespace

bool is_right(const Route& route, const Fragment& from, const Fragment& to, int element_bits) {
  if (element_bits == 64) return is_right(route, split_words(from), split_words(to), 32);
  const auto source = within_warp(from), target = within_warp(to);
  if (!source || !target) return false;
  const LinearMap held = route.name == "k-permutation"
                             ? with_columns_renamed(*source, *column_permutation(*source, *target))
                             : *source;
  const int element_bytes = element_bits / 8;
  const int64_t bytes = target->from().size_of("register") * element_bytes;
  const Tokens output =
      emulate(route.program, tokens_of(held, route.program.inputs, element_bytes));
  return bytes % 4 == 0 && output == tokens_of(*target, bytes / 4, element_bytes);
}

}  // namespace warpledger::convert
