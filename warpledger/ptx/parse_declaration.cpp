// Declarations inside a body: registers, .loc, .pragma, and the way to variables.
#include <fmt/core.h>

#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {
namespace {

// More registers than any kernel has; keeps a mistyped %r<4000000000> from eating the numbers.
constexpr uint32_t kMostRegisters = 1u << 24;

std::optional<Space> variable_space(std::string_view word) {
  if (word == "shared") return Space::kShared;
  if (word == "local") return Space::kLocal;
  if (word == "param") return Space::kParam;
  if (word == "global") return Space::kGlobal;
  if (word == "const") return Space::kConst;
  return std::nullopt;
}

}  // namespace

bool Parser::directive_statement() {
  const uint32_t begin = scan_.position();
  scan_.advance();
  const std::string_view word = scan_.word();
  if (word == "reg") return scan_.skip(), register_declaration();
  if (word == "loc") return scan_.skip(), location();
  if (const auto space = variable_space(word)) return variable_declaration(*space, Linkage::kNone);
  if (word == "pragma") {
    scan_.skip();
    function_->body.push_back(
        {StatementKind::kPragma, static_cast<uint32_t>(function_->pragmas.size())});
    return pragma(function_->pragmas);
  }
  return fail(from(begin), fmt::format("'.{}' is not allowed in a function", word), "",
              "unknown-directive");
}

bool Parser::declare_name(std::string_view name, Meaning meaning, uint32_t index, Span span) {
  if (names_.declare(names_.number(name), meaning, index)) return true;
  return fail(span, fmt::format("'{}' is declared twice", name), "", "redeclared-name");
}

// .v2 .f32 %a, %b<4>;
bool Parser::register_declaration() {
  RegisterRange range;
  while (scan_.peek() == '.') {
    const uint32_t begin = scan_.position();
    scan_.advance();
    const std::string_view word = scan_.word();
    if (word == "v2" || word == "v4") {
      range.width = static_cast<uint8_t>(word[1] - '0');
    } else if (const auto type = parse_type(word)) {
      range.type = *type;
    } else {
      return fail(from(begin), fmt::format("'.{}' is not a type", word), "", "unknown-type");
    }
    scan_.skip();
  }
  if (range.type == Type::kNone) return expected("a type");
  do {
    if (!register_declarator(range)) return false;
  } while (scan_.accept(','));
  return expect(';');
}

bool Parser::register_declarator(RegisterRange range) {
  const uint32_t begin = scan_.position();
  range.prefix = scan_.name();
  if (range.prefix.empty()) return expected("a register name");
  range.span = from(begin);
  scan_.skip();
  Constant count{.bits = range.count};
  if (scan_.accept('<')) {
    range.is_numbered = true;
    if (!number(count) || !expect('>')) return false;  // not an expression: '>' ends it
  }
  range.first = function_->register_count();
  if (count.bits == 0 || count.bits > kMostRegisters - range.first) {
    return fail(from(begin), fmt::format("{} registers", count.bits),
                fmt::format("a function has at most {}", kMostRegisters), "register-count");
  }
  range.count = static_cast<uint32_t>(count.bits);
  const auto index = static_cast<uint32_t>(function_->registers.size());
  const Meaning meaning = range.is_numbered ? Meaning::kRegisterRange : Meaning::kRegister;
  if (!declare_name(range.prefix, meaning, index, range.span)) return false;
  if (!range.is_numbered && Scanner::is(range.prefix.back(), kDigit)) ++exact_numbered_;
  function_->body.push_back({StatementKind::kRegisters, index});
  function_->registers.push_back(range);
  return true;
}

// file line column{, function_name label{+offset}, inlined_at file line column}
bool Parser::location() {
  const uint32_t inline_asm = scan_.inline_asm();  // before the comments after it
  SourceLocation made;
  const auto place = [&](SourcePlace& at) {
    return small_number(at.file) && small_number(at.line) && small_number(at.column);
  };
  if (!place(made.at)) return false;
  while (scan_.accept(',')) {
    const std::string_view word = scan_.name();
    scan_.skip();
    if (word == "inlined_at") {
      made.is_inlined = true;
      if (!place(made.inlined_at)) return false;
    } else if (word == "function_name") {
      made.function_name = scan_.name();
      if (made.function_name.empty()) return expected("a label");
      scan_.skip();
      uint64_t bytes = 0;
      if (!offset(bytes)) return false;
      made.function_offset = static_cast<int64_t>(bytes);
    } else {
      return expected("'function_name' or 'inlined_at'");
    }
  }
  scan_.accept(';');
  // LLVM adds the lines of the assembly's own text to those of the source: of several .loc in one
  // stretch of inline assembly the first is right.
  if (inline_asm != 0 && located_asm_ == inline_asm) return true;
  located_asm_ = inline_asm;
  function_->body.push_back(
      {StatementKind::kLocation, static_cast<uint32_t>(function_->locations.size())});
  function_->locations.push_back(made);
  location_ = static_cast<uint32_t>(function_->locations.size());
  return true;
}

}  // namespace warpledger::ptx
