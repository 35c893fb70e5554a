// Is a program meaningful? Names, shapes, spaces, operand rules, and that no two blocks of a grid
// write the same place. What passes here can be costed, run and rewritten without further doubt.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "warpledger/tile/program.h"

namespace warpledger::tile {

struct TileType {
  Expression rows;
  Expression cols;
  ElementType type;
  Space space = Space::kRegisters;
  bool is_accumulator = false;

  [[nodiscard]] Expression bytes() const { return rows * cols * Expression(type.bytes); }
};

/// The tiles of one kernel by name; a name is defined once in a kernel.
using TileTypes = std::map<std::string, TileType, std::less<>>;

/// The tile types of each kernel, or the first fault.
[[nodiscard]] Result<std::vector<TileTypes>> check(const Program& program);

/// "N=8192,d=128".
[[nodiscard]] Result<Sizes> parse_sizes(const std::string& text);

/// The program with these values for its sizes, checked again.
[[nodiscard]] Result<Program> with_sizes(Program program, const Sizes& sizes);

/// The program with whole numbers for all its shapes and counts; loop indices stay. Pre: `sizes`
/// has every size of the program.
[[nodiscard]] Result<Program> at_sizes(Program program, const Sizes& sizes);

/// Reads and checks.
[[nodiscard]] Result<Program> load(const std::string& path);

}  // namespace warpledger::tile
