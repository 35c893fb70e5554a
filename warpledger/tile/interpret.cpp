#include "warpledger/tile/interpret.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/tile/extent.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

struct TileValue {
  int64_t rows = 0;
  int64_t cols = 0;
  Values values;

  [[nodiscard]] double at(int64_t row, int64_t col) const {
    return values[static_cast<size_t>(row * cols + (cols == 1 ? 0 : col))];
  }
  double& at(int64_t row, int64_t col) { return values[static_cast<size_t>(row * cols + col)]; }
};

TileValue filled(int64_t rows, int64_t cols, double value) {
  return {rows, cols, Values(static_cast<size_t>(rows * cols), value)};
}

/// A slice as strided memory: where it begins, and the step of a row and of a column.
struct Window {
  int64_t begin = 0;
  int64_t rows = 0, cols = 0;
  int64_t row_step = 0, col_step = 0;
};

double computed(const std::string& head, const std::vector<double>& x) {
  if (head == "+") return x[0] + x[1];
  if (head == "-") return x[0] - x[1];
  if (head == "*") return x[0] * x[1];
  if (head == "/") return x[0] / x[1];
  if (head == "neg") return -x[0];
  if (head == "exp") return std::exp(x[0]);
  if (head == "log") return std::log(x[0]);
  if (head == "sqrt") return std::sqrt(x[0]);
  if (head == "tanh") return std::tanh(x[0]);
  if (head == "abs") return std::fabs(x[0]);
  if (head == "relu") return std::max(x[0], 0.0);
  if (head == "max") return std::max(x[0], x[1]);
  WL_CHECK(head == "min");
  return std::min(x[0], x[1]);
}

class Interpreter {
 public:
  Interpreter(const CheckedProgram& program, const RunInput& input)
      : program_(*program), types_(program.types()), input_(input), names_(input.sizes) {}

  Result<Run> run() {
    WL_TRY_STATUS(allocate());
    for (size_t k = 0; k < program_.kernels.size(); ++k) {
      kernel_ = k;
      WL_TRY_STATUS(run_grid(program_.kernels[k], 0));
    }
    for (const Tensor& tensor : program_.tensors) {
      if (tensor.summed) sum_first_dimension(tensor);
      if (tensor.role == Role::kInput) run_.tensors.erase(tensor.name);
    }
    return std::move(run_);
  }

 private:
  Status allocate() {
    for (const Tensor& tensor : program_.tensors) {
      WL_TRY(std::vector<int64_t> shape, shape_of(tensor, names_));
      const int64_t elements = elements_of(shape);
      shapes_[tensor.name] = std::move(shape);
      run_.tensors[tensor.name] = Values(static_cast<size_t>(elements), 0.0);
      if (tensor.role != Role::kInput) continue;
      const auto given = input_.tensors.find(tensor.name);
      if (given == input_.tensors.end() || given->second.size() != static_cast<size_t>(elements)) {
        return Diagnostic{fmt::format("no values for input {}", tensor.name), "", "missing-input"};
      }
      run_.tensors[tensor.name] = given->second;
    }
    return {};
  }

  void sum_first_dimension(const Tensor& tensor) {
    Values& all = run_.tensors[tensor.name];
    const size_t slices = static_cast<size_t>(shapes_[tensor.name].front());
    Values sum(all.size() / slices, 0.0);
    for (size_t i = 0; i < all.size(); ++i) sum[i % sum.size()] += all[i];
    all = std::move(sum);
  }

  Status run_grid(const Kernel& kernel, size_t axis) {
    if (axis == kernel.grid.size()) {
      tiles_.clear();
      return run_body(kernel.body);
    }
    WL_TRY(const int64_t count, whole(kernel.grid[axis].count, names_));
    for (int64_t block = 0; block < count; ++block) {
      names_[kernel.grid[axis].variable] = block;
      WL_TRY_STATUS(run_grid(kernel, axis + 1));
    }
    names_.erase(kernel.grid[axis].variable);
    return {};
  }

  Status run_body(const Body& body) {
    for (const Statement& statement : body) {
      WL_TRY_STATUS(std::visit([this](const auto& s) { return run_one(s); }, statement.node));
    }
    return {};
  }

  Result<Window> window(const Place& place) {
    const std::vector<int64_t>& shape = shapes_[place.name];
    Window window;
    int64_t step = 1;
    int kept = 0;
    for (size_t i = shape.size(); i-- > 0;) {
      const Index& index = place.index[i];
      int64_t begin = 0, length = shape[i];
      if (index.kind != Index::Kind::kWhole) {
        WL_TRY(const int64_t at, whole(index.at, names_));
        WL_TRY(length,
               index.kind == Index::Kind::kAt ? Result<int64_t>(1) : whole(index.extent, names_));
        begin = at * length;
      }
      if (begin + length > shape[i]) {
        return Diagnostic{fmt::format("the slice {} leaves the tensor", to_text(place)), "",
                          "out-of-range"};
      }
      window.begin += begin * step;
      if (index.kind != Index::Kind::kAt) {
        (kept == 0 ? window.cols : window.rows) = length;
        (kept == 0 ? window.col_step : window.row_step) = step;
        ++kept;
      }
      step *= shape[i];
    }
    return window;
  }

  [[nodiscard]] const TileType& type_of(const std::string& tile) const {
    return types_[kernel_].at(tile);
  }
  void count(Space from, Space to, int64_t elements, int bytes) {
    run_.bytes[{from, to}] += elements * bytes;
  }

  Status run_one(const Load& s) {
    const Tensor* tensor = program_.tensor(s.from.name);
    if (tensor == nullptr) {
      const TileValue copied = tiles_.at(s.from.name);
      count(type_of(s.from.name).space, s.to, copied.rows * copied.cols,
            type_of(s.from.name).type.bytes);
      tiles_[s.result] = copied;
      return {};
    }
    WL_TRY(const Window w, window(s.from));
    TileValue made = filled(w.rows, w.cols, 0);
    const Values& all = run_.tensors[s.from.name];
    for (int64_t r = 0; r < w.rows; ++r) {
      for (int64_t c = 0; c < w.cols; ++c) {
        made.at(r, c) = all[static_cast<size_t>(w.begin + r * w.row_step + c * w.col_step)];
        count(Space::kGlobal, s.to, 1, tensor->type.bytes);
        run_.loaded[s.from.name] += tensor->type.bytes;
      }
    }
    tiles_[s.result] = std::move(made);
    return {};
  }

  Status run_one(const Store& s) {
    WL_TRY(const Window w, window(s.to));
    const TileValue& from = tiles_.at(s.tile);
    Values& all = run_.tensors[s.to.name];
    const int bytes = program_.tensor(s.to.name)->type.bytes;
    for (int64_t r = 0; r < w.rows; ++r) {
      for (int64_t c = 0; c < w.cols; ++c) {
        all[static_cast<size_t>(w.begin + r * w.row_step + c * w.col_step)] = from.at(r, c);
        count(type_of(s.tile).space, Space::kGlobal, 1, bytes);
        run_.stored[s.to.name] += bytes;
      }
    }
    return {};
  }

  Status run_one(const Wait&) { return {}; }

  Status run_one(const Matmul& s) {
    const TileValue& a = tiles_.at(s.left);
    const TileValue& b = tiles_.at(s.right);
    const int64_t cols = s.is_transposed ? b.rows : b.cols;
    TileValue made = s.accumulates ? tiles_.at(s.result) : filled(a.rows, cols, 0);
    for (int64_t r = 0; r < a.rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        double sum = 0;
        for (int64_t k = 0; k < a.cols; ++k) {
          sum += a.at(r, k) * (s.is_transposed ? b.at(c, k) : b.at(k, c));
        }
        made.at(r, c) += sum;
      }
    }
    count_operand(s.left, a);
    count_operand(s.right, b);
    tiles_[s.result] = std::move(made);
    return {};
  }

  /// An operand outside registers is loaded by the multiplication itself.
  void count_operand(const std::string& name, const TileValue& value) {
    const TileType& type = type_of(name);
    if (type.space == Space::kRegisters) return;
    for (size_t i = 0; i < value.values.size(); ++i) {
      count(type.space, Space::kRegisters, 1, type.type.bytes);
    }
  }

  [[nodiscard]] double value_of(const Formula& formula, int64_t row, int64_t col) const {
    if (formula.number) return *formula.number;
    if (formula.args.empty()) {
      const auto tile = tiles_.find(formula.head);
      if (tile != tiles_.end()) return tile->second.at(row, col);
      const auto scalar = input_.scalars.find(formula.head);
      if (scalar != input_.scalars.end()) return scalar->second;
      return static_cast<double>(names_.find(formula.head)->second);
    }
    std::vector<double> arguments;
    for (const Formula& arg : formula.args) arguments.push_back(value_of(arg, row, col));
    return computed(formula.head, arguments);
  }

  Status run_one(const Elementwise& s) {
    const TileType& type = type_of(s.result);
    WL_TRY(const int64_t rows, whole(type.rows, names_));
    WL_TRY(const int64_t cols, whole(type.cols, names_));
    TileValue made = filled(rows, cols, 0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) made.at(r, c) = value_of(s.formula, r, c);
    }
    tiles_[s.result] = std::move(made);
    return {};
  }

  Status run_one(const Reduce& s) {
    const TileValue& source = tiles_.at(s.source);
    const bool is_max = s.kind == Reduction::kMax;
    TileValue made =
        s.accumulates ? tiles_.at(s.result) : filled(source.rows, 1, is_max ? -HUGE_VAL : 0.0);
    for (int64_t r = 0; r < source.rows; ++r) {
      for (int64_t c = 0; c < source.cols; ++c) {
        const double x = source.at(r, c);
        made.at(r, 0) = is_max ? std::max(made.at(r, 0), x) : made.at(r, 0) + x;
      }
    }
    tiles_[s.result] = std::move(made);
    return {};
  }

  Status run_one(const Accumulator& s) {
    WL_TRY(const int64_t rows, whole(s.rows, names_));
    WL_TRY(const int64_t cols, whole(s.cols, names_));
    tiles_[s.name] = filled(rows, cols, s.value);
    return {};
  }

  Status run_one(const Loop& s) {
    WL_TRY(const int64_t count, whole(s.count, names_));
    for (int64_t i = 0; i < count; ++i) {
      names_[s.variable] = i;
      WL_TRY_STATUS(run_body(s.body));
    }
    names_.erase(s.variable);
    return {};
  }

  const Program& program_;
  const std::vector<TileTypes>& types_;
  const RunInput& input_;
  Sizes names_;  // sizes, and the indices of the loops under way
  std::map<std::string, std::vector<int64_t>, std::less<>> shapes_;
  size_t kernel_ = 0;
  std::map<std::string, TileValue, std::less<>> tiles_;
  Run run_;
};

}  // namespace

int64_t Run::global_bytes() const {
  int64_t sum = 0;
  for (const auto& [edge, n] : bytes) {
    if (edge.first == Space::kGlobal || edge.second == Space::kGlobal) sum += n;
  }
  return sum;
}

Result<Run> interpret(const CheckedProgram& program, const RunInput& input) {
  return Interpreter(program, input).run();
}

}  // namespace warpledger::tile
