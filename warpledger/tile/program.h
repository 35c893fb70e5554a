// tile/: the tile language. A .tile program sketches kernels in a dozen lines: which tiles are
// copied between global memory, shared memory, registers and TMEM, and what is computed on them.
//
//   text -> parse -> Program -> check -> CheckedProgram -> cost (a Ledger), interpret (its
//   meaning), capacity (does it fit a GPU), rewrite/ (which program moves fewer bytes).
//
// The room knows shapes, bytes and the operand rules of the tensor cores. It does not know caches,
// time, addresses or bank conflicts: a copy counts the bytes of its tile once on its edge.
// A program's meaning is over real numbers: an element type says how many bytes an element has,
// never how it rounds. docs/tile-language.md is the manual.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "warpledger/algebra/expression.h"
#include "warpledger/base/result.h"
#include "warpledger/base/source.h"

namespace warpledger::tile {

/// Where a tile lives.
enum class Space { kGlobal, kShared, kTmem, kRegisters };
[[nodiscard]] std::string_view to_text(Space space);

/// How many bytes an element takes.
struct ElementType {
  std::string name = "f32";
  int bytes = 4;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};
[[nodiscard]] std::optional<ElementType> element_type(std::string_view name);
[[nodiscard]] std::vector<std::string> element_type_names();

/// A named size of the problem; absent value: symbolic.
struct Size {
  std::string name;
  std::optional<int64_t> value = {};
  Span span = {};
};

/// The promise that `divisor` divides `dividend` without rest.
struct Divides {
  std::string divisor;
  std::string dividend;
};

enum class Role { kInput, kOutput, kScratch };
[[nodiscard]] std::string_view to_text(Role role);

/// An array in global memory. `summed`: only the sum over the first index is ever read, so that a
/// program may add partial results up before it stores them.
struct Tensor {
  std::string name;
  std::vector<Expression> shape;
  ElementType type;
  Role role = Role::kInput;
  bool summed = false;
  Span span = {};
};

/// One dimension of a slice: all of it, block `at` of `extent` elements, or the one element `at`
/// (which drops the dimension).
struct Index {
  enum class Kind { kWhole, kBlock, kAt };
  Kind kind = Kind::kWhole;
  Expression at = {};
  Expression extent = {};
  friend bool operator==(const Index&, const Index&) = default;
};

/// A tile by its name, or a slice of a tensor (one Index per dimension).
struct Place {
  std::string name;
  std::vector<Index> index = {};
  Span span = {};
  friend bool operator==(const Place& a, const Place& b) {
    return a.name == b.name && a.index == b.index;
  }
};

/// An elementwise expression: a number, a name (tile, scalar or size), or `head(args...)` where
/// head is + - * / neg or a function.
struct Formula {
  std::string head;
  std::vector<Formula> args = {};
  std::optional<double> number = {};
  friend bool operator==(const Formula&, const Formula&) = default;
};

struct Statement;
using Body = std::vector<Statement>;

/// result = copy from to space: a new tile.
struct Load {
  std::string result;
  Place from;
  Space to = Space::kShared;
  bool is_async = false;
};
/// copy tile to tensor[...].
struct Store {
  std::string tile;
  Place to;
};
/// wait tile: an asynchronous copy has landed.
struct Wait {
  std::string tile;
};
/// result (+)= left @ right, or left @ right^T.
struct Matmul {
  std::string result;
  std::string left;
  std::string right;
  bool is_transposed = false;
  bool accumulates = false;
  Space to = Space::kRegisters;
};
/// result = formula, element by element; a column [rows, 1] is spread over the columns.
struct Elementwise {
  std::string result;
  Formula formula;
  std::optional<ElementType> type = {};
};
enum class Reduction { kSum, kMax };
/// result = rowsum(source) or rowmax(source): [rows, cols] -> [rows, 1]; accumulating: += or max=.
struct Reduce {
  std::string result;
  std::string source;
  Reduction kind = Reduction::kSum;
  bool accumulates = false;
};
/// accumulator name[rows, cols] type = value: the only tiles that may be assigned again.
struct Accumulator {
  std::string name;
  Expression rows;
  Expression cols;
  ElementType type;
  double value = 0;
  Space space = Space::kRegisters;
};
/// for variable in count { body }.
struct Loop {
  std::string variable;
  Expression count;
  Body body;
};

struct Statement {
  std::variant<Load, Store, Wait, Matmul, Elementwise, Reduce, Accumulator, Loop> node;
  Span span = {};
};

struct GridAxis {
  std::string variable;
  Expression count;
};

struct Kernel {
  std::string name;
  std::vector<GridAxis> grid = {};
  int threads = 128;
  Body body = {};
  Span span = {};
};

struct Program {
  std::string name;
  std::string target = "sm_90";
  std::vector<Size> sizes = {};
  std::vector<Divides> assumptions = {};
  std::vector<std::string> scalars = {};
  std::vector<Tensor> tensors = {};
  std::vector<Kernel> kernels = {};
  std::shared_ptr<const Source> source = {};  // what spans refer to; absent for a built program

  [[nodiscard]] const Tensor* tensor(std::string_view name) const;
  /// The sizes that have a value.
  [[nodiscard]] Sizes known_sizes() const;
};

/// A diagnostic at `span` of the program's text; without a place for a built program.
[[nodiscard]] Diagnostic fault(const Program& program, Span span, std::string message,
                               std::string hint, std::string code);

}  // namespace warpledger::tile
