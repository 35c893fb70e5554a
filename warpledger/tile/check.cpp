#include "warpledger/tile/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/base/file.h"
#include "warpledger/base/scanner.h"
#include "warpledger/tile/check_kernel.h"
#include "warpledger/tile/matmul_unit.h"
#include "warpledger/tile/parser.h"

namespace warpledger::tile {
namespace {

Status check_target(const Program& program) {
  if (matmul_unit(program.target)) return {};
  const std::string near = did_you_mean(program.target, known_targets());
  return Diagnostic{
      fmt::format("unknown target '{}'", program.target),
      near.empty() ? fmt::format("targets are {}", fmt::join(known_targets(), ", ")) : near,
      "unknown-target"};
}

Status check_names(const Program& program) {
  std::set<std::string> names;
  const auto add = [&](const std::string& name, Span span) -> Status {
    if (names.insert(name).second) return {};
    return fault(program, span, fmt::format("'{}' is declared twice", name), "", "declared-twice");
  };
  for (const Size& size : program.sizes) WL_TRY_STATUS(add(size.name, size.span));
  for (const std::string& scalar : program.scalars) WL_TRY_STATUS(add(scalar, {}));
  for (const Tensor& tensor : program.tensors) WL_TRY_STATUS(add(tensor.name, tensor.span));
  return {};
}

Status check_size_value(const Program& program, const Size& size) {
  if (!size.value || *size.value >= 1) return {};
  return fault(program, size.span, fmt::format("size {} is {}", size.name, *size.value),
               "a size is at least 1", "bad-size");
}

Status check_assumptions(const Program& program) {
  const Sizes known = program.known_sizes();
  for (const Divides& d : program.assumptions) {
    for (const std::string& name : {d.divisor, d.dividend}) {
      WL_TRY_STATUS(check_size_names(program, Expression::size(name), {}, {}));
    }
    const auto divisor = known.find(d.divisor);
    const auto dividend = known.find(d.dividend);
    if (divisor == known.end() || dividend == known.end()) continue;
    if (dividend->second % divisor->second != 0) {
      return Diagnostic{fmt::format("{} = {} does not divide {} = {}", d.divisor, divisor->second,
                                    d.dividend, dividend->second),
                        "the program assumes that it does", "broken-assumption"};
    }
  }
  return {};
}

Status check_tensors(const Program& program) {
  for (const Tensor& tensor : program.tensors) {
    if (tensor.shape.size() < 2) {
      return fault(program, tensor.span, fmt::format("{} has one dimension", tensor.name),
                   "write a vector as a column: [N, 1]", "bad-rank");
    }
    for (const Expression& extent : tensor.shape) {
      WL_TRY_STATUS(check_size_names(program, extent, {}, tensor.span));
      WL_TRY_STATUS(check_whole(program, extent, tensor.span));
    }
  }
  return {};
}

}  // namespace

Status check_size_names(const Program& program, const Expression& size,
                        const std::vector<std::string>& indices, Span span) {
  std::vector<std::string> known = indices;
  for (const Size& s : program.sizes) known.push_back(s.name);
  for (const std::string& name : size.sizes()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = did_you_mean(name, known);
    return fault(program, span, fmt::format("unknown size '{}'", name),
                 near.empty() ? fmt::format("declare it: size {}", name) : near, "unknown-size");
  }
  return {};
}

Status check_whole(const Program& program, const Expression& count, Span span) {
  const auto is_polynomial = [](const Expression& e) { return e.denominator() == Expression(1); };
  if (is_polynomial(count)) return {};
  for (const Divides& d : program.assumptions) {
    const Expression multiple = Expression::size(d.divisor) * Expression::size("a_multiple_");
    const auto replaced = count.substitute({{d.dividend, multiple}});
    if (replaced && is_polynomial(*replaced)) return {};
  }
  const auto value = count.evaluate(program.known_sizes());
  if (value && value->is_integer()) return {};
  const std::string below = count.denominator().to_text();
  return fault(program, span, fmt::format("{} may not be a whole number", count.to_text()),
               fmt::format("add: assume {} divides {}", below, count.numerator().to_text()),
               "not-whole");
}

Result<CheckedProgram> check(Program program) {
  WL_TRY_STATUS(check_target(program));
  WL_TRY_STATUS(check_names(program));
  for (const Size& size : program.sizes) WL_TRY_STATUS(check_size_value(program, size));
  WL_TRY_STATUS(check_assumptions(program));
  WL_TRY_STATUS(check_tensors(program));
  std::vector<TileTypes> types;
  for (const Kernel& kernel : program.kernels) {
    WL_TRY(TileTypes of_kernel, check_kernel(program, kernel));
    types.push_back(std::move(of_kernel));
  }
  return CheckedProgram(std::move(program), std::move(types));
}

Result<Sizes> parse_sizes(const std::string& text) {
  const Source source("--set", text);
  Scanner scan(source, {.blanks = {}});
  Sizes sizes;
  while (!scan.at_end()) {
    const std::string_view item = scan.take_while([](char c) { return c != ','; });
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view name = item.substr(0, equals);
    const auto value = read_number<int64_t>(item.substr(std::min(equals + 1, item.size())));
    if (!is_size_name(name) || !value || *value < 1) {
      return Diagnostic{fmt::format("'{}' does not give a size a value", item),
                        "write them as N=8192,d=128", "bad-size"};
    }
    sizes[std::string(name)] = *value;
    scan.take(",");
  }
  return sizes;
}

Result<CheckedProgram> with_sizes(Program program, const Sizes& sizes) {
  for (const auto& [name, value] : sizes) {
    WL_TRY_STATUS(check_size_names(program, Expression::size(name), {}, {}));
    for (Size& size : program.sizes) {
      if (size.name == name) size.value = value;
    }
  }
  return check(std::move(program));
}

Result<CheckedProgram> with_sizes(const CheckedProgram& program, const Sizes& sizes) {
  if (sizes.empty()) return program;
  return with_sizes(*program, sizes);
}

namespace {

/// `at` of an index holds loop indices, which stay symbols.
Status put_in(const Substitution& values, Expression& expression) {
  if (expression.is_constant()) return {};
  WL_TRY(expression, expression.substitute(values));
  return {};
}

Status put_in(const Substitution& values, Place& place) {
  for (Index& index : place.index) {
    WL_TRY_STATUS(put_in(values, index.at));
    WL_TRY_STATUS(put_in(values, index.extent));
  }
  return {};
}

Status put_in(const Substitution& values, Body& body) {
  for (Statement& statement : body) {
    if (auto* load = std::get_if<Load>(&statement.node)) {
      WL_TRY_STATUS(put_in(values, load->from));
    } else if (auto* store = std::get_if<Store>(&statement.node)) {
      WL_TRY_STATUS(put_in(values, store->to));
    } else if (auto* made = std::get_if<Accumulator>(&statement.node)) {
      WL_TRY_STATUS(put_in(values, made->rows));
      WL_TRY_STATUS(put_in(values, made->cols));
    } else if (auto* loop = std::get_if<Loop>(&statement.node)) {
      WL_TRY_STATUS(put_in(values, loop->count));
      WL_TRY_STATUS(put_in(values, loop->body));
    }
  }
  return {};
}

}  // namespace

Result<Program> at_sizes(Program program, const Sizes& sizes) {
  Substitution values;
  for (const auto& [name, value] : sizes) values[name] = Expression(value);
  for (Tensor& tensor : program.tensors) {
    for (Expression& extent : tensor.shape) WL_TRY_STATUS(put_in(values, extent));
  }
  for (Kernel& kernel : program.kernels) {
    for (GridAxis& axis : kernel.grid) WL_TRY_STATUS(put_in(values, axis.count));
    WL_TRY_STATUS(put_in(values, kernel.body));
  }
  return program;
}

Result<CheckedProgram> load(const std::string& path) {
  WL_TRY(std::string text, read_file(path));
  WL_TRY(Program program, parse(path, text));
  return check(std::move(program));
}

}  // namespace warpledger::tile
