#include "warpledger/tile/parser.h"

#include <fmt/format.h>

#include "warpledger/tile/cursor.h"

namespace warpledger::tile {
namespace {

class Parser {
 public:
  Parser(std::shared_ptr<const Source> source, std::vector<Token> tokens)
      : cursor_(*source, std::move(tokens)) {
    program_.source = std::move(source);
  }

  Result<Program> run() {
    cursor_.skip_newlines();
    WL_TRY_STATUS(cursor_.expect("program", "at the start of a tile program"));
    WL_TRY(program_.name, cursor_.name("the program"));
    WL_TRY_STATUS(cursor_.expect_line_end());
    while (cursor_.peek().kind != TokenKind::kEnd) {
      WL_TRY_STATUS(cursor_.sees("kernel") ? kernel() : declaration());
    }
    return std::move(program_);
  }

 private:
  Status declaration() {
    WL_TRY_STATUS(declared(cursor_.next()));
    return cursor_.expect_line_end();
  }

  Status declared(const Token& word) {
    if (word.text == "target") return target();
    if (word.text == "size") return sizes();
    if (word.text == "assume") return assumptions();
    if (word.text == "scalar") return scalars();
    if (word.text == "input") return tensors(Role::kInput);
    if (word.text == "output") return tensors(Role::kOutput);
    if (word.text == "scratch") return tensors(Role::kScratch);
    return unknown_declaration(word);
  }

  [[nodiscard]] Diagnostic unknown_declaration(const Token& word) const {
    const std::vector<std::string> known = {"target", "size",   "assume",  "scalar",
                                            "input",  "output", "scratch", "kernel"};
    const std::string near = did_you_mean(word.text, known);
    return cursor_.fault_at(
        word.span, fmt::format("'{}' starts no declaration", word.text),
        near.empty() ? "declarations are target, size, assume, scalar, input, output, scratch and "
                       "kernel"
                     : near,
        "unknown-declaration");
  }

  Status target() {
    WL_TRY(program_.target, cursor_.name("an architecture, such as sm_90"));
    return {};
  }

  Status sizes() {
    do {
      Size size;
      size.span = cursor_.peek().span;
      WL_TRY(size.name, cursor_.name("a size"));
      if (cursor_.take("=")) {
        WL_TRY(size.value, cursor_.whole_number());
      }
      program_.sizes.push_back(std::move(size));
    } while (cursor_.take(","));
    return {};
  }

  Status assumptions() {
    do {
      Divides divides;
      WL_TRY(divides.divisor, cursor_.name("a size"));
      WL_TRY_STATUS(cursor_.expect("divides", "in an assumption"));
      WL_TRY(divides.dividend, cursor_.name("a size"));
      program_.assumptions.push_back(std::move(divides));
    } while (cursor_.take(","));
    return {};
  }

  Status scalars() {
    do {
      WL_TRY(std::string name, cursor_.name("a scalar"));
      program_.scalars.push_back(std::move(name));
    } while (cursor_.take(","));
    return {};
  }

  Status tensors(Role role) {
    do {
      Tensor tensor;
      tensor.role = role;
      tensor.span = cursor_.peek().span;
      WL_TRY(tensor.name, cursor_.name("a tensor"));
      WL_TRY_STATUS(cursor_.expect("[", "before the shape"));
      do {
        WL_TRY(Expression extent, parse_size(cursor_));
        tensor.shape.push_back(std::move(extent));
      } while (cursor_.take(","));
      WL_TRY_STATUS(cursor_.expect("]", "after the shape"));
      WL_TRY(tensor.type, type());
      WL_TRY(tensor.summed, summed(tensor));
      program_.tensors.push_back(std::move(tensor));
    } while (cursor_.take(","));
    return {};
  }

  /// `summed over T`, where T must be the first dimension: it is named so that it reads.
  Result<bool> summed(const Tensor& tensor) {
    if (!cursor_.take("summed")) return false;
    WL_TRY_STATUS(cursor_.expect("over", "after 'summed'"));
    const Span span = cursor_.peek().span;
    WL_TRY(const Expression axis, parse_size(cursor_));
    if (!(axis == tensor.shape.front()) || tensor.role != Role::kOutput) {
      return cursor_.fault_at(span, "only an output can be summed, over its first dimension",
                              fmt::format("the first dimension of {} is {}", tensor.name,
                                          tensor.shape.front().to_text()),
                              "bad-summed");
    }
    return true;
  }

  Result<ElementType> type() {
    const auto found = element_type(cursor_.peek().text);
    if (found) {
      cursor_.next();
      return *found;
    }
    const std::string near = did_you_mean(cursor_.peek().text, element_type_names());
    return cursor_.fault_here(
        fmt::format("expected an element type, found '{}'",
                    cursor_.peek().kind == TokenKind::kNewline ? "the end of the line"
                                                               : cursor_.peek().text),
        near.empty() ? fmt::format("types are {}", fmt::join(element_type_names(), ", ")) : near,
        "unknown-type");
  }

  Result<Space> space() {
    for (const Space s : {Space::kGlobal, Space::kShared, Space::kTmem, Space::kRegisters}) {
      if (cursor_.take(to_text(s))) return s;
    }
    return cursor_.fault_here("expected where the tile goes",
                              "say shared, registers, tmem, or a tensor to store to",
                              "unknown-space");
  }

  Status kernel() {
    Kernel kernel;
    kernel.span = cursor_.next().span;
    WL_TRY(kernel.name, cursor_.name("the kernel"));
    if (cursor_.take("(")) {
      do {
        GridAxis axis;
        WL_TRY(axis.variable, cursor_.name("a block index"));
        WL_TRY_STATUS(cursor_.expect("in", "between a block index and its count"));
        WL_TRY(axis.count, parse_size(cursor_));
        kernel.grid.push_back(std::move(axis));
      } while (cursor_.take(","));
      WL_TRY_STATUS(cursor_.expect(")", "after the grid"));
    }
    if (cursor_.take("threads")) {
      WL_TRY(const int64_t threads, cursor_.whole_number());
      if (threads < 1 || threads > 1024) {
        return cursor_.fault_here("a block has 1 to 1,024 threads", "", "bad-threads");
      }
      kernel.threads = static_cast<int>(threads);
    }
    WL_TRY(kernel.body, body());
    program_.kernels.push_back(std::move(kernel));
    return cursor_.expect_line_end();
  }

  Result<Body> body() {
    WL_TRY_STATUS(cursor_.enter());
    WL_TRY_STATUS(cursor_.expect("{", "before the statements"));
    cursor_.skip_newlines();
    Body statements;
    while (!cursor_.take("}")) {
      if (cursor_.peek().kind == TokenKind::kEnd) {
        return cursor_.fault_here("the file ends inside '{'", "close it with '}'", "unclosed");
      }
      WL_TRY(Statement next, statement());
      statements.push_back(std::move(next));
      WL_TRY_STATUS(cursor_.expect_line_end());
    }
    cursor_.leave();
    return statements;
  }

  Result<Statement> statement() {
    const Span begin = cursor_.peek().span;
    Statement made;
    if (cursor_.take("copy")) {
      WL_TRY(made.node, store());
    } else if (cursor_.take("wait")) {
      WL_TRY(std::string name, cursor_.name("a tile"));
      made.node = Wait{std::move(name)};
    } else if (cursor_.take("accumulator")) {
      WL_TRY(made.node, accumulator());
    } else if (cursor_.take("for")) {
      WL_TRY(made.node, loop());
    } else {
      WL_TRY(made.node, assignment());
    }
    made.span = std::holds_alternative<Loop>(made.node) ? begin : cover(begin, cursor_.previous());
    return made;
  }

  using Node = decltype(Statement::node);

  Result<Node> store() {
    Store store;
    WL_TRY(store.tile, cursor_.name("a tile"));
    WL_TRY_STATUS(cursor_.expect("to", "between a tile and where it is stored"));
    WL_TRY(store.to, place());
    return Node(std::move(store));
  }

  Result<Node> accumulator() {
    Accumulator made;
    WL_TRY(made.name, cursor_.name("an accumulator"));
    WL_TRY_STATUS(cursor_.expect("[", "before the shape"));
    WL_TRY(made.rows, parse_size(cursor_));
    WL_TRY_STATUS(cursor_.expect(",", "between rows and columns"));
    WL_TRY(made.cols, parse_size(cursor_));
    WL_TRY_STATUS(cursor_.expect("]", "after the shape"));
    WL_TRY(made.type, type());
    WL_TRY_STATUS(cursor_.expect("=", "before the first value"));
    WL_TRY(made.value, parse_real(cursor_));
    WL_TRY(made.space, result_space());
    return Node(std::move(made));
  }

  /// `in tmem` after what a statement computes; registers when nothing is said.
  Result<Space> result_space() {
    if (!cursor_.take("in")) return Space::kRegisters;
    return space();
  }

  Result<Node> loop() {
    Loop loop;
    WL_TRY(loop.variable, cursor_.name("a loop index"));
    WL_TRY_STATUS(cursor_.expect("in", "between a loop index and its count"));
    WL_TRY(loop.count, parse_size(cursor_));
    WL_TRY(loop.body, body());
    return Node(std::move(loop));
  }

  Result<Node> assignment() {
    WL_TRY(std::string result, cursor_.name("a tile"));
    if (cursor_.take("+=")) return accumulation(std::move(result), Reduction::kSum);
    if (cursor_.sees("max") && cursor_.sees("=", 1)) {
      cursor_.next();
      cursor_.next();
      return accumulation(std::move(result), Reduction::kMax);
    }
    WL_TRY_STATUS(cursor_.expect("=", fmt::format("after '{}'", result)));
    if (cursor_.take("copy")) return load(std::move(result));
    if (sees_reduction()) return reduce(std::move(result), false);
    if (cursor_.sees("@", 1)) return matmul(std::move(result), false);
    Elementwise made{std::move(result), {}, {}};
    WL_TRY(made.formula, parse_formula(cursor_));
    if (cursor_.take("as")) {
      WL_TRY(made.type, type());
    }
    return Node(std::move(made));
  }

  [[nodiscard]] bool sees_reduction() const {
    return cursor_.sees("rowsum") || cursor_.sees("rowmax");
  }

  Result<Node> accumulation(std::string result, Reduction kind) {
    const bool is_max = cursor_.sees("rowmax");
    if (sees_reduction() && is_max == (kind == Reduction::kMax)) {
      return reduce(std::move(result), true);
    }
    if (kind == Reduction::kSum && cursor_.sees("@", 1)) return matmul(std::move(result), true);
    return cursor_.fault_here("this cannot be accumulated",
                              "write x += a @ b, x += rowsum(a) or x max= rowmax(a)",
                              "bad-accumulation");
  }

  Result<Node> reduce(std::string result, bool accumulates) {
    Reduce made{std::move(result), "", Reduction::kSum, accumulates};
    made.kind = cursor_.next().text == "rowmax" ? Reduction::kMax : Reduction::kSum;
    WL_TRY_STATUS(cursor_.expect("(", "after a row reduction"));
    WL_TRY(made.source, cursor_.name("a tile"));
    WL_TRY_STATUS(cursor_.expect(")", "after the tile"));
    return Node(std::move(made));
  }

  Result<Node> matmul(std::string result, bool accumulates) {
    Matmul made;
    made.result = std::move(result);
    made.accumulates = accumulates;
    WL_TRY(made.left, cursor_.name("a tile"));
    WL_TRY_STATUS(cursor_.expect("@", "between the operands"));
    WL_TRY(made.right, cursor_.name("a tile"));
    if (cursor_.take("^")) {
      WL_TRY_STATUS(cursor_.expect("T", "after '^'"));
      made.is_transposed = true;
    }
    WL_TRY(made.to, result_space());
    return Node(std::move(made));
  }

  Result<Node> load(std::string result) {
    Load made;
    made.result = std::move(result);
    made.is_async = cursor_.take("async");
    WL_TRY(made.from, place());
    WL_TRY_STATUS(cursor_.expect("to", "between what is copied and where it goes"));
    WL_TRY(made.to, space());
    return Node(std::move(made));
  }

  Result<Place> place() {
    Place place;
    place.span = cursor_.peek().span;
    WL_TRY(place.name, cursor_.name("a tile or a tensor"));
    if (!cursor_.take("[")) {
      const Tensor* whole = program_.tensor(place.name);
      if (whole != nullptr) place.index.resize(whole->shape.size());
      return place;
    }
    do {
      WL_TRY(Index index, this->index());
      place.index.push_back(std::move(index));
    } while (cursor_.take(","));
    place.span = cover(place.span, cursor_.peek().span);
    WL_TRY_STATUS(cursor_.expect("]", "after the slice"));
    return place;
  }

  Result<Index> index() {
    if (cursor_.take(":")) return Index{};
    Index index{Index::Kind::kAt};
    WL_TRY(index.at, parse_size(cursor_));
    if (cursor_.take("of")) {
      index.kind = Index::Kind::kBlock;
      WL_TRY(index.extent, parse_size(cursor_));
    }
    return index;
  }

  Cursor cursor_;
  Program program_;
};

}  // namespace

Result<Program> parse(std::shared_ptr<const Source> source) {
  WL_TRY(std::vector<Token> tokens, tokenize(*source));
  return Parser(std::move(source), std::move(tokens)).run();
}

Result<Program> parse(const std::string& name, const std::string& text) {
  return parse(std::make_shared<const Source>(name, text));
}

}  // namespace warpledger::tile
