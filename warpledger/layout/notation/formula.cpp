// Index formulas: row = lane/4 + 8*((i>>1)&1); col = 2*(lane%4) + i%2
#include <fmt/core.h>

#include <array>
#include <bit>

#include "warpledger/layout/notation/notation.h"
#include "warpledger/layout/notation/scanner.h"

namespace warpledger::notation {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 31;

struct Expression {
  enum class Kind { kNumber, kVariable, kBinary } kind = Kind::kNumber;
  int64_t number = 0;  // the value, or the index of the input dimension
  std::string operation = {};
  std::vector<Expression> sides = {};
};

// Loosest first, as in C.
const std::array<std::vector<std::string>, 6> kLevels = {
    {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}};

class Parser {
 public:
  Parser(Scanner& scan, const Space& from) : scan_(scan), from_(from) {}

  Result<Expression> expression(size_t level = 0) {
    if (level == kLevels.size()) return atom();
    WL_TRY(Expression left, expression(level + 1));
    for (;;) {
      std::string operation;
      for (const std::string& candidate : kLevels[level]) {
        if (scan_.take(candidate)) operation = candidate;
        if (!operation.empty()) break;
      }
      if (operation.empty()) return left;
      WL_TRY(Expression right, expression(level + 1));
      left = {Expression::Kind::kBinary, 0, operation, {std::move(left), std::move(right)}};
    }
  }

 private:
  Result<Expression> atom() {
    if (++depth_ > 400) return scan_.error("the formula is too long");
    if (scan_.take("(")) {
      WL_TRY(Expression inner, expression());
      WL_TRY_STATUS(scan_.expect(")"));
      return inner;
    }
    if (scan_.at_end()) return scan_.error("expected a value");
    const uint32_t begin = scan_.position();
    const std::string name = scan_.name();
    if (name.empty()) {
      WL_TRY(const int64_t number, scan_.number());
      return Expression{Expression::Kind::kNumber, number, {}, {}};
    }
    const auto d = from_.find(name == "i" ? "register" : name);
    if (!d) {
      return scan_.error_at({begin, scan_.position()}, "unknown variable '" + name + "'",
                            "known: " + known_names());
    }
    return Expression{Expression::Kind::kVariable, static_cast<int64_t>(*d), {}, {}};
  }

  [[nodiscard]] std::string known_names() const {
    std::string names;
    for (const Dim& dim : from_.dims()) {
      names += (names.empty() ? "" : ", ") + (dim.name == "register" ? "i" : dim.name);
    }
    return names;
  }

  Scanner& scan_;
  const Space& from_;
  int depth_ = 0;
};

std::optional<int64_t> apply(const std::string& operation, int64_t a, int64_t b) {
  if (std::abs(a) > int64_t{1} << 31 || std::abs(b) > int64_t{1} << 31) return std::nullopt;
  if (operation == "|") return a | b;
  if (operation == "^") return a ^ b;
  if (operation == "&") return a & b;
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "/") return b == 0 ? std::nullopt : std::optional(a / b);
  if (operation == "%") return b == 0 ? std::nullopt : std::optional(a % b);
  if (b < 0 || b > 31 || a < 0) return std::nullopt;
  return operation == "<<" ? a << b : a >> b;
}

/// Nothing when a division by zero, a negative shift or an overflow is met.
std::optional<int64_t> evaluate(const Expression& e, const std::vector<int64_t>& variables) {
  if (e.kind == Expression::Kind::kNumber) return e.number;
  if (e.kind == Expression::Kind::kVariable) return variables[static_cast<size_t>(e.number)];
  const auto a = evaluate(e.sides[0], variables);
  const auto b = evaluate(e.sides[1], variables);
  if (!a || !b) return std::nullopt;
  return apply(e.operation, *a, *b);
}

struct Statement {
  std::string output;
  Expression value;
  Span span;
};

Result<std::vector<Statement>> read_statements(Scanner& scan, const Space& from) {
  std::vector<Statement> statements;
  while (!scan.at_end()) {
    const uint32_t begin = scan.position();
    const std::string name = scan.name();
    if (name.empty()) return scan.error("expected the name of an output");
    for (const Statement& known : statements) {
      if (known.output == name) return scan.error(fmt::format("'{}' is given twice", name));
    }
    WL_TRY_STATUS(scan.expect("="));
    Parser parser(scan, from);
    WL_TRY(Expression value, parser.expression());
    statements.push_back({name, std::move(value), {begin, scan.position()}});
    WL_TRY_STATUS(check_outputs(scan, statements.size()));
    scan.take(";");
  }
  if (statements.empty()) return scan.error("expected a formula");
  return statements;
}

}  // namespace

Result<Layout> read_formula(const Source& source, const Reading& reading) {
  Scanner scan(source);
  WL_TRY(const std::vector<Statement> statements, read_statements(scan, reading.from));
  const auto points = static_cast<size_t>(reading.from.size());
  std::vector<std::vector<int64_t>> columns;
  std::vector<Dim> dims;
  int64_t elements = 1;
  for (const Statement& statement : statements) {
    std::vector<int64_t> column(points);
    int64_t last = 0;
    for (size_t x = 0; x < points; ++x) {
      const auto value = evaluate(statement.value, reading.from.unpack(x));
      if (!value || *value < 0 || *value >= 1 << 20) {
        return scan.error_at(statement.span,
                             fmt::format("'{}' has no value in 0..2^20 at {}", statement.output,
                                         point_text(reading.from, x)));
      }
      column[x] = *value;
      last = std::max(last, *value);
    }
    const int64_t bound = reading.to ? reading.to->size_of(statement.output) : last + 1;
    if (last >= bound) {
      return scan.error_at(statement.span, fmt::format("'{}' reaches {}, but its size is {}",
                                                       statement.output, last, bound));
    }
    // Counted as the bases would count them, in whole bits.
    const auto padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bound)));
    if (padded > kMaxElements / elements) return scan.error("more than 2^31 elements");
    elements *= padded;
    dims.push_back({statement.output, bound});
    columns.push_back(std::move(column));
  }
  const Space to(std::move(dims));
  std::vector<uint64_t> values(points);
  for (size_t x = 0; x < points; ++x) {
    std::vector<int64_t> coordinates;
    for (const auto& column : columns) coordinates.push_back(column[x]);
    values[x] = to.pack(coordinates);
  }
  return Layout(reading.from, to, std::move(values));
}

namespace {

/// Input bits [in, in+length) of one dimension become output bits [out, out+length).
struct Run {
  size_t dim = 0;
  int in = 0;
  int out = 0;
  int length = 1;
};

std::vector<Run> runs_into(const LinearMap& map, size_t output) {
  std::vector<Run> runs;
  const int first = map.to().first_bit(output);
  for (size_t d = 0; d < map.from().dims().size(); ++d) {
    for (int in = 0; in < map.from().bits_of(d); ++in) {
      const uint64_t base = map.bases()[static_cast<size_t>(map.from().first_bit(d) + in)];
      for (int out = 0; out < map.to().bits_of(output); ++out) {
        if (!(base >> (first + out) & 1)) continue;
        bool extended = false;
        for (Run& run : runs) {
          if (run.dim != d || run.in + run.length != in || run.out + run.length != out) continue;
          run.length += 1;
          extended = true;
          break;
        }
        if (!extended) runs.push_back({d, in, out, 1});
      }
    }
  }
  return runs;
}

std::string run_text(const LinearMap& map, const Run& run) {
  const std::string& dim = map.from().dims()[run.dim].name;
  const bool is_register = dim == "register";
  const std::string x = is_register ? "i" : dim;
  const int bits = map.from().bits_of(run.dim);
  const bool to_top = run.in + run.length == bits;
  std::string text;
  bool simple = true;
  if (run.in == 0 && to_top) {
    text = x;
  } else if (run.in == 0) {
    text = fmt::format("{}%{}", x, 1 << run.length);
  } else if (to_top && !is_register) {
    text = fmt::format("{}/{}", x, 1 << run.in);
  } else if (to_top) {
    text = fmt::format("{}>>{}", x, run.in);
    simple = false;
  } else {
    text = fmt::format("({}>>{})&{}", x, run.in, (1 << run.length) - 1);
    simple = false;
  }
  if (run.out > 0) return fmt::format("{}*{}", 1 << run.out, text == x ? x : "(" + text + ")");
  return simple ? text : "(" + text + ")";
}

}  // namespace

std::string formula_of(const LinearMap& map, std::string_view output) {
  const auto d = map.to().find(output);
  WL_CHECK(d.has_value());
  std::vector<Run> runs = runs_into(map, *d);
  // Lanes first, as the literature writes it; then registers; then warps and blocks.
  const auto order = [&](const Run& run) {
    const std::string& name = map.from().dims()[run.dim].name;
    return name == "lane" ? 0 : name == "register" ? 1 : 2;
  };
  std::stable_sort(runs.begin(), runs.end(),
                   [&](const Run& a, const Run& b) { return order(a) < order(b); });
  uint64_t seen = 0;
  bool overlaps = false;
  for (const Run& run : runs) {
    const uint64_t bits = ((uint64_t{1} << run.length) - 1) << run.out;
    overlaps = overlaps || (seen & bits) != 0;
    seen |= bits;
  }
  std::string text;
  for (const Run& run : runs) {
    if (!text.empty()) text += overlaps ? " ^ " : " + ";
    text += run_text(map, run);
  }
  return text.empty() ? "0" : text;
}

std::string print_formula(const LinearMap& map) {
  std::string text;
  for (const Dim& dim : map.to().dims()) {
    text += fmt::format("{} = {}\n", dim.name, formula_of(map, dim.name));
  }
  return text;
}

}  // namespace warpledger::notation
