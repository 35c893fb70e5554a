#include "warpledger/tile/parser.h"

#include <fmt/core.h>

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
        word.span, fmt::format("'{}' does not start a declaration", word.text),
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
      WL_TRY(tensor.type, parse_type(cursor_));
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
    WL_TRY(kernel.body, parse_body(cursor_, program_));
    program_.kernels.push_back(std::move(kernel));
    return cursor_.expect_line_end();
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
