// Is a program meaningful? Names, shapes, spaces, operand rules, and that no two blocks of a grid
// write the same place. What passes here can be costed, run and rewritten without further doubt.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
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

/// A program that check() has passed, with the types that it found. Immutable and cheap to copy.
/// What needs a meaningful program takes this type, so that a program is checked once.
class CheckedProgram {
 public:
  [[nodiscard]] const Program& operator*() const { return *program_; }
  [[nodiscard]] const Program* operator->() const { return program_.get(); }
  /// A checked program is a program.
  operator const Program&() const { return *program_; }
  /// Of each kernel.
  [[nodiscard]] const std::vector<TileTypes>& types() const { return *types_; }

 private:
  friend Result<CheckedProgram> check(Program program);
  CheckedProgram(Program program, std::vector<TileTypes> types)
      : program_(std::make_shared<const Program>(std::move(program))),
        types_(std::make_shared<const std::vector<TileTypes>>(std::move(types))) {}

  std::shared_ptr<const Program> program_;
  std::shared_ptr<const std::vector<TileTypes>> types_;
};

/// The program with its types, or its first fault. The only way to a CheckedProgram.
[[nodiscard]] Result<CheckedProgram> check(Program program);

/// "N=8192,d=128".
[[nodiscard]] Result<Sizes> parse_sizes(const std::string& text);

/// The program with these values for its sizes, checked with them.
[[nodiscard]] Result<CheckedProgram> with_sizes(Program program, const Sizes& sizes);
/// The same; without sizes there is nothing to check again.
[[nodiscard]] Result<CheckedProgram> with_sizes(const CheckedProgram& program, const Sizes& sizes);

/// The program with whole numbers for all its shapes and counts; loop indices stay. Pre: `sizes`
/// has every size of the program.
[[nodiscard]] Result<Program> at_sizes(Program program, const Sizes& sizes);

/// Reads and checks.
[[nodiscard]] Result<CheckedProgram> load(const std::string& path);

}  // namespace warpledger::tile
