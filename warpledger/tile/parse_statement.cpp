// Statements, and the bodies of kernels and loops that are made of them.
#include <fmt/format.h>

#include "warpledger/tile/cursor.h"

namespace warpledger::tile {
namespace {

class StatementParser {
 public:
  StatementParser(Cursor& cursor, const Program& program) : cursor_(cursor), program_(program) {}

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

 private:
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
    WL_TRY(made.type, parse_type(cursor_));
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
      WL_TRY(made.type, parse_type(cursor_));
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

  Result<Space> space() {
    for (const Space s : {Space::kGlobal, Space::kShared, Space::kTmem, Space::kRegisters}) {
      if (cursor_.take(to_text(s))) return s;
    }
    return cursor_.fault_here("expected where the tile goes",
                              "say shared, registers, tmem, or a tensor to store to",
                              "unknown-space");
  }

  Cursor& cursor_;
  const Program& program_;  // its declarations
};

}  // namespace

Result<ElementType> parse_type(Cursor& cursor) {
  const auto found = element_type(cursor.peek().text);
  if (found) {
    cursor.next();
    return *found;
  }
  const std::string near = did_you_mean(cursor.peek().text, element_type_names());
  return cursor.fault_here(
      fmt::format("expected an element type, found '{}'", cursor.peek().kind == TokenKind::kNewline
                                                              ? "the end of the line"
                                                              : cursor.peek().text),
      near.empty() ? fmt::format("types are {}", fmt::join(element_type_names(), ", ")) : near,
      "unknown-type");
}

Result<Body> parse_body(Cursor& cursor, const Program& program) {
  return StatementParser(cursor, program).body();
}

}  // namespace warpledger::tile
