// The parser's place in the words of a file, and the parts of the language that stand in others:
// bodies of statements, element types, and the two expression languages, sizes (exact, symbol/) and
// elementwise formulas. Private to tile/.
#pragma once

#include <string>
#include <vector>

#include "warpledger/tile/lexer.h"
#include "warpledger/tile/program.h"

namespace warpledger::tile {

class Cursor {
 public:
  Cursor(const Source& source, std::vector<Token> tokens)
      : source_(source), tokens_(std::move(tokens)) {}

  [[nodiscard]] const Token& peek(size_t ahead = 0) const;
  const Token& next();
  [[nodiscard]] bool sees(std::string_view text, size_t ahead = 0) const;
  /// The token that was taken last.
  [[nodiscard]] Span previous() const { return previous_; }
  /// Steps over `text` when it is next.
  bool take(std::string_view text);
  void skip_newlines();

  [[nodiscard]] Status expect(std::string_view text, std::string_view where);
  [[nodiscard]] Status expect_line_end();
  /// A name that is not a keyword; `what` says what it names.
  [[nodiscard]] Result<std::string> name(std::string_view what);
  [[nodiscard]] Result<int64_t> whole_number();

  [[nodiscard]] Diagnostic fault_here(std::string message, std::string hint,
                                      std::string code) const;
  [[nodiscard]] Diagnostic fault_at(Span span, std::string message, std::string hint,
                                    std::string code) const;

  /// Nesting of brackets and loops is bounded, so that no input can exhaust the stack.
  [[nodiscard]] Status enter();
  void leave() { --depth_; }

 private:
  const Source& source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  Span previous_ = {};
  int depth_ = 0;
};

[[nodiscard]] bool is_reserved(std::string_view word);

/// `{`, statements, `}`. `program`: what was declared before.
[[nodiscard]] Result<Body> parse_body(Cursor& cursor, const Program& program);
/// `f16`.
[[nodiscard]] Result<ElementType> parse_type(Cursor& cursor);
/// `N/Br`, `2*(N + d)`, `N^2`.
[[nodiscard]] Result<Expression> parse_size(Cursor& cursor);
/// `exp(s - m) * scale`.
[[nodiscard]] Result<Formula> parse_formula(Cursor& cursor);
/// `-inf`, `0`, `-1.5`.
[[nodiscard]] Result<double> parse_real(Cursor& cursor);

/// The functions a formula may call, with their number of arguments.
[[nodiscard]] const std::map<std::string, int, std::less<>>& formula_functions();

}  // namespace warpledger::tile
