// The three ways people write a layout, read and printed.
//
//   bases    {register: [(0,1),(8,0)], lane: [(0,2),(0,4),(1,0),(2,0),(4,0)]} -> (row 16, col 8)
//   CuTe     ((4,8),(2,2)):((32,1),(16,8))      Swizzle<3,4,3> o (8,64):(64,1)
//   formula  row = lane/4 + 8*(i>>1); col = 2*(lane%4) + i%2
//
// In formulas `i` is the register dimension (the element number within a lane).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/base/source.h"
#include "warpledger/layout/layout.h"

namespace warpledger::notation {

/// What a text does not say itself: the dimensions of its inputs and, when known, of its outputs.
struct Reading {
  Space from = {};                      // formulas: the ranges of the variables
  std::vector<std::string> modes = {};  // CuTe: the names of the top-level modes, first to last
  std::optional<Space> to = {};         // CuTe and formulas: how to divide or bound the result
};

enum class Kind { kBases, kCute, kFormula };
/// '{' starts bases, '=' outside brackets a formula, everything else is CuTe.
[[nodiscard]] Kind kind_of(std::string_view text);
[[nodiscard]] Result<Layout> read(const Source& source, const Reading& reading);

[[nodiscard]] Result<Layout> read_bases(const Source& source);
[[nodiscard]] std::string print_bases(const LinearMap& map);

[[nodiscard]] Result<Layout> read_cute(const Source& source, const Reading& reading);
/// Each input dimension becomes one top-level mode, and the packed output the offset. Nothing when
/// no Swizzle<B,M,S> in front makes the rest strided.
[[nodiscard]] std::optional<std::string> print_cute(const LinearMap& map);

/// Statements `name = expression` separated by ';' or newlines, with C's operators + - * / % & | ^
/// << >> and brackets on the variables lane, i, warp and the names of reading.from.
[[nodiscard]] Result<Layout> read_formula(const Source& source, const Reading& reading);
/// One statement a line. Post: reading it back gives the same map.
[[nodiscard]] std::string print_formula(const LinearMap& map);
/// The right-hand side for one output dimension, on the given C names of the input dimensions.
[[nodiscard]] std::string formula_of(const LinearMap& map, std::string_view output);

}  // namespace warpledger::notation
