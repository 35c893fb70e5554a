// The parser behind parse.h: recursive descent, one statement a line. A statement with a fault is
// passed over to its end, so that one run shows every fault.
#pragma once

#include "warpledger/plan/lexer.h"
#include "warpledger/plan/parse.h"

namespace warpledger::plan {

class Parser {
 public:
  Parser(const Source& source, std::vector<Token> tokens, const Sizes& replaced)
      : source_(source), tokens_(std::move(tokens)), replaced_(replaced) {}

  Result<Plan> run();

 private:
  /// slots from..to (both included) live at other times than the rest of their ring.
  struct SlotLives {
    int64_t from, to;
    std::vector<Lifetime> lives;
  };
  /// What may follow a buffer's shape, in any order.
  struct Clauses {
    std::optional<int64_t> alignment = {}, columns = {};
    std::optional<Span> swizzle = {};
    int64_t ring = 1;
    std::vector<Lifetime> lives = {};
    std::vector<SlotLives> slot_lives = {};
    std::vector<int64_t> at = {};
    bool is_apart = false;
    Span where = {};  // of the whole list
  };

  // The cursor.
  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  const Token& next() {
    return tokens_[at_].kind == Token::Kind::kEnd ? tokens_[at_] : tokens_[at_++];
  }
  bool accept(std::string_view text);
  Status expect(std::string_view text);
  Result<Token> expect_name(std::string_view what);
  [[nodiscard]] bool at_line_end() const { return peek().kind == Token::Kind::kNewline; }
  [[nodiscard]] Diagnostic fault(Span span, std::string message, std::string hint,
                                 std::string code) const;
  void keep(Diagnostic diagnostic);
  void skip_line();

  // Numbers, shapes, lifetimes (parse_value.cpp).
  Result<int64_t> expression(int depth = 0);
  Result<int64_t> product(int depth);
  Result<int64_t> factor(int depth);
  Result<int64_t> number_in(std::string_view what, int64_t low, int64_t high);
  Result<std::vector<int64_t>> shape();
  Result<Lifetime> lifetime();
  Result<std::vector<Lifetime>> lifetimes();
  Result<EventId> event(bool as_end);
  [[nodiscard]] std::vector<std::string> event_and_phase_names() const;

  // Statements (parse.cpp).
  Status statement();
  Status header(const Token& word);
  Status let_statement();
  Status phases_statement();
  Status events_statement();
  Status order_statement();
  Status allocations_statement();
  Result<EventId> new_event(const Token& name, std::string_view suffix = "");
  Status check_order(Span where);
  void check_lives();
  void check_replaced();

  // Buffers (parse_buffer.cpp) and rotating rings (parse_rotate.cpp).
  Status buffer_statement(Space space);
  Result<Buffer> buffer(Space space, Clauses& clauses);
  Status clause(Buffer& buffer, Clauses& clauses);
  Status tensor_clause(const Token& word, Buffer& buffer, Clauses& clauses);
  Status ring_clause(Clauses& clauses);
  Status slots_clause(Clauses& clauses);
  Status at_clause(Clauses& clauses);
  Status measure(Buffer& buffer, const Clauses& clauses);
  Status lay_out_slots(Buffer& buffer, const Clauses& clauses);
  Status add(Buffer buffer);
  Status rotate_statement();
  Status add_rotation(const Token& name, int64_t depth, const Lifetime& life,
                      std::vector<Buffer>& loads,
                      const std::vector<std::pair<int64_t, int64_t>>& waits);

  const Source& source_;
  std::vector<Token> tokens_;
  const Sizes& replaced_;
  size_t at_ = 0;
  Plan plan_;
  std::vector<Diagnostic> faults_;
};

}  // namespace warpledger::plan
