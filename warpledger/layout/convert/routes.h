// Conversions: every way to turn one register layout of a warp into another, with its price.
//
// Let S be the gather map, src(S(r', l')) == dst(r', l'): which (register, lane) the target's
// (register r', lane l') is filled from. What S does to lanes decides the level: if it keeps every
// lane, registers are only renamed; if it mixes register and lane bits, data must cross lanes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/layout/catalog/fragment.h"
#include "warpledger/layout/convert/program.h"

namespace warpledger::convert {

struct Route {
  std::string name;         // "renaming", "k-permutation", "movmatrix", "shuffles", "shared memory"
  std::string explanation;  // one sentence
  Program program;
  Price price;
  int first_arch = 70;
};

struct Conversion {
  LinearMap gather;  // S, on elements
  int element_bits = 32;
  std::vector<Route> routes;  // cheapest first: fewest barriers, wavefronts, instructions
};

/// Every route from `from` to `to`, for elements of `element_bits` held packed in 32-bit registers;
/// each has been run (is_right).
/// Fails when the two do not cover the same matrix, or move data between warps.
[[nodiscard]] Result<Conversion> find_routes(const Fragment& from, const Fragment& to,
                                             int element_bits);

/// S, preferring among replicas the one in the lane that needs it.
[[nodiscard]] Result<LinearMap> gather_map(const LinearMap& from, const LinearMap& to);

/// A permutation of columns p with to(x) == p(from(x)) up to a renaming of registers: feeding the
/// other operand's k in the order p makes the conversion free. Answers the permutation of column
/// bits, (col) -> (col).
[[nodiscard]] std::optional<LinearMap> column_permutation(const LinearMap& from,
                                                          const LinearMap& to);

/// Proof by running: every output byte of the program holds the element that `to` asks for.
[[nodiscard]] bool is_right(const Route& route, const Fragment& from, const Fragment& to,
                            int element_bits);

[[nodiscard]] std::optional<Route> renaming_route(const LinearMap& gather, int element_bits);
[[nodiscard]] std::optional<Route> movmatrix_route(const LinearMap& gather, int element_bits);
[[nodiscard]] std::optional<Route> shuffle_route(const LinearMap& gather, int element_bits);
/// Through shared memory: with plain accesses, and with ldmatrix or stmatrix where they fit.
[[nodiscard]] std::vector<Route> shared_routes(const LinearMap& from, const LinearMap& to,
                                               int element_bits);

}  // namespace warpledger::convert
