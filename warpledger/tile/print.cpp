#include <fmt/format.h>

#include <cmath>

#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

std::string real(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

/// 1: sum, 2: product, 3: sign, 4: atom.
int precedence(const Formula& formula) {
  if (formula.number) return *formula.number < 0 || std::signbit(*formula.number) ? 3 : 4;
  if (formula.head == "+" || formula.head == "-") return 1;
  if (formula.head == "*" || formula.head == "/") return 2;
  return formula.head == "neg" ? 3 : 4;
}

std::string bracketed(const Formula& formula, int at_least) {
  const std::string text = to_text(formula);
  return precedence(formula) < at_least ? "(" + text + ")" : text;
}

std::string index_text(const Index& index) {
  if (index.kind == Index::Kind::kWhole) return ":";
  if (index.kind == Index::Kind::kAt) return index.at.to_text();
  return fmt::format("{} of {}", index.at.to_text(), index.extent.to_text());
}

std::string suffix(Space space) {
  return space == Space::kRegisters ? "" : fmt::format(" in {}", to_text(space));
}

std::string text_of(const Load& s) {
  return fmt::format("{} = copy {}{} to {}", s.result, s.is_async ? "async " : "", to_text(s.from),
                     to_text(s.to));
}
std::string text_of(const Store& s) { return fmt::format("copy {} to {}", s.tile, to_text(s.to)); }
std::string text_of(const Wait& s) { return fmt::format("wait {}", s.tile); }
std::string text_of(const Matmul& s) {
  return fmt::format("{} {} {} @ {}{}{}", s.result, s.accumulates ? "+=" : "=", s.left, s.right,
                     s.is_transposed ? "^T" : "", suffix(s.to));
}
std::string text_of(const Elementwise& s) {
  return fmt::format("{} = {}{}", s.result, to_text(s.formula),
                     s.type ? " as " + s.type->name : std::string());
}
std::string text_of(const Reduce& s) {
  const bool is_max = s.kind == Reduction::kMax;
  const char* sign = !s.accumulates ? "=" : is_max ? "max=" : "+=";
  return fmt::format("{} {} {}({})", s.result, sign, is_max ? "rowmax" : "rowsum", s.source);
}
std::string text_of(const Accumulator& s) {
  return fmt::format("accumulator {}[{}, {}] {} = {}{}", s.name, s.rows.to_text(), s.cols.to_text(),
                     s.type.name, real(s.value), suffix(s.space));
}
std::string text_of(const Loop& s) {
  return fmt::format("for {} in {}", s.variable, s.count.to_text());
}

void append(const Body& body, int depth, std::string* out) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  for (const Statement& statement : body) {
    *out += indent + to_text(statement);
    if (const auto* loop = std::get_if<Loop>(&statement.node)) {
      *out += " {\n";
      append(loop->body, depth + 1, out);
      *out += indent + "}";
    }
    *out += "\n";
  }
}

std::string size_text(const Size& size) {
  return size.value ? fmt::format("{} = {}", size.name, *size.value) : size.name;
}

std::string shape_text(const std::vector<Expression>& shape) {
  std::vector<std::string> extents;
  for (const Expression& extent : shape) extents.push_back(extent.to_text());
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

void append_declarations(const Program& program, std::string* out) {
  std::vector<std::string> sizes;
  for (const Size& size : program.sizes) sizes.push_back(size_text(size));
  if (!sizes.empty()) *out += fmt::format("size {}\n", fmt::join(sizes, ", "));
  std::vector<std::string> promises;
  for (const Divides& d : program.assumptions) {
    promises.push_back(fmt::format("{} divides {}", d.divisor, d.dividend));
  }
  if (!promises.empty()) *out += fmt::format("assume {}\n", fmt::join(promises, ", "));
  if (!program.scalars.empty())
    *out += fmt::format("scalar {}\n", fmt::join(program.scalars, ", "));
  for (const Tensor& tensor : program.tensors) {
    *out += fmt::format("{} {}{} {}", to_text(tensor.role), tensor.name, shape_text(tensor.shape),
                        tensor.type.name);
    if (tensor.summed) *out += " summed over " + tensor.shape.front().to_text();
    *out += "\n";
  }
}

}  // namespace

std::string to_text(const Formula& formula) {
  if (formula.number) return real(*formula.number);
  if (formula.args.empty()) return formula.head;
  if (formula.head == "neg") return "-" + bracketed(formula.args[0], 3);
  const int level = precedence(formula);
  if (level == 4) {
    std::vector<std::string> args;
    for (const Formula& arg : formula.args) args.push_back(to_text(arg));
    return fmt::format("{}({})", formula.head, fmt::join(args, ", "));
  }
  return fmt::format("{} {} {}", bracketed(formula.args[0], level), formula.head,
                     bracketed(formula.args[1], level + 1));
}

std::string to_text(const Place& place) {
  bool is_whole = true;
  std::vector<std::string> parts;
  for (const Index& index : place.index) {
    is_whole = is_whole && index.kind == Index::Kind::kWhole;
    parts.push_back(index_text(index));
  }
  if (is_whole) return place.name;
  return fmt::format("{}[{}]", place.name, fmt::join(parts, ", "));
}

std::string to_text(const Statement& statement) {
  return std::visit([](const auto& s) { return text_of(s); }, statement.node);
}

std::string to_text(const Kernel& kernel) {
  std::vector<std::string> axes;
  for (const GridAxis& axis : kernel.grid) {
    axes.push_back(fmt::format("{} in {}", axis.variable, axis.count.to_text()));
  }
  std::string out = "kernel " + kernel.name;
  if (!axes.empty()) out += fmt::format("({})", fmt::join(axes, ", "));
  if (kernel.threads != 128) out += fmt::format(" threads {}", kernel.threads);
  out += " {\n";
  append(kernel.body, 1, &out);
  return out + "}\n";
}

std::string to_text(const Program& program) {
  std::string out = fmt::format("program {}\ntarget {}\n", program.name, program.target);
  append_declarations(program, &out);
  for (const Kernel& kernel : program.kernels) out += "\n" + to_text(kernel);
  return out;
}

}  // namespace warpledger::tile
