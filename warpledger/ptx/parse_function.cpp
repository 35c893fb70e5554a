// Functions: signature, performance directives, and the statements of a body.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {
namespace {

constexpr uint32_t kTileLanguage = 7;  // what tileiras 13.4 writes into every kernel

}  // namespace

// After `.entry` or `.func`.
bool Parser::function(Linkage linkage, bool is_entry, uint32_t begin) {
  const auto index = static_cast<uint32_t>(module_.functions.size());
  Function& created = module_.functions.emplace_back();
  created.is_entry = is_entry;
  created.linkage = linkage;
  created.definition = index;
  module_.statements.push_back({StatementKind::kFunction, index});
  names_.open_block();
  function_ = &created;
  exact_numbered_ = 0;
  location_ = 0;
  if (!signature(created)) return false;
  created.span = from(begin);
  if (scan_.peek() != '{') {
    scan_.accept(';');  // a declaration; nvcc leaves its semicolon out before a directive
    return finish_function(index, false);
  }
  scan_.accept('{');
  return body() && finish_function(index, true);
}

// {(results)} name {(params)} {directives}
bool Parser::signature(Function& function) {
  if (scan_.peek() == '.') {  // .attribute(…)
    Variable carrier;
    scan_.advance();
    if (!variable_attribute(scan_.word(), carrier)) return false;
    function.attribute = carrier.attribute;
  }
  if (scan_.peek() == '(' && !parameter_list(function.signature.results, true)) return false;
  const uint32_t begin = scan_.position();
  function.name = scan_.name();
  if (function.name.empty()) return expected("a function name");
  const Span span = from(begin);
  scan_.skip();
  const uint32_t number = names_.number(function.name);
  const Binding before = names_[number];
  const auto index = static_cast<uint32_t>(module_.functions.size() - 1);
  if (before.meaning != Meaning::kNothing &&
      (before.meaning != Meaning::kFunction || module_.functions[before.index].has_body)) {
    return fail(span, fmt::format("'{}' is declared twice", function.name), "", "redeclared-name");
  }
  names_.redeclare(number, Meaning::kFunction, index);
  if (scan_.peek() == '(' && !parameter_list(function.signature.params, true)) return false;
  return directives(function.signature);
}

// The name is the module's from here on.
bool Parser::finish_function(uint32_t index, bool has_body) {
  Function& done = module_.functions[index];
  done.has_body = has_body;
  names_.close_block();
  function_ = nullptr;
  const uint32_t number = names_.number(done.name);
  const Binding& before = names_[number];
  const bool defined =
      before.meaning == Meaning::kFunction && module_.functions[before.index].has_body;
  if (!defined) names_.redeclare(number, Meaning::kFunction, index);
  return true;
}

// Declarations lead to the body of their name, aliases to that of their target.
void Parser::link_definitions() {
  for (Function& function : module_.functions) {
    function.definition = names_.find(function.name).index;
  }
  for (const Alias& alias : module_.aliases) {
    module_.functions[alias.function].definition = module_.functions[alias.target].definition;
  }
}

bool Parser::directives(Signature& out) {
  while (scan_.peek() == '.') {
    const uint32_t begin = scan_.position();
    scan_.advance();
    const std::string_view word = scan_.word();
    scan_.skip();
    bool known = false;
    if (!directive(word, out, known)) return false;
    if (known) continue;
    scan_.rewind(begin);  // the next statement of the module, after a declaration without ';'
    return true;
  }
  return true;
}

bool Parser::directive(std::string_view word, Signature& out, bool& known) {
  if (word == "language") {  // what the kernel was written in
    uint32_t number = 0;
    known = true;
    if (!small_number(number)) return false;
    out.is_tile = number == kTileLanguage;
    return true;
  }
  for (int i = 0; i <= static_cast<int>(DirectiveKind::kPragma); ++i) {
    const auto kind = static_cast<DirectiveKind>(i);
    if (to_text(kind).substr(1) != word) continue;
    known = true;
    if (kind == DirectiveKind::kPragma) return pragma(out.directives);
    Directive made{kind};
    if (!Scanner::is(scan_.peek(), kDigit)) return out.directives.push_back(made), true;
    do {
      uint32_t value = 0;
      if (!small_number(value)) return false;
      made.values.push_back(value);
    } while (scan_.accept(','));
    out.directives.push_back(made);
    return true;
  }
  return true;
}

// "text"{, "text"};
bool Parser::pragma(std::vector<Directive>& out) {
  const uint32_t begin = scan_.position();
  do {
    if (!scan_.quoted()) return expected("a string");
    scan_.skip();
  } while (scan_.accept(','));
  std::string_view text = scan_.text(begin);
  while (Scanner::is(text.back(), kBlank)) text.remove_suffix(1);
  if (!expect(';')) return false;
  out.push_back({DirectiveKind::kPragma, {}, text});
  return true;
}

bool Parser::body() {
  pending_.clear();
  pending_of_block_.assign(1, 0);
  const uint32_t outermost = names_.depth();
  while (true) {
    if (scan_.at_end()) return expected("'}'");
    if (scan_.peek() == '}' && names_.depth() == outermost) break;
    if (!statement()) return false;
  }
  if (!resolve_labels(0, true)) return false;
  return expect('}');
}

bool Parser::statement() {
  switch (scan_.peek()) {
    case '}':
      return close_block();
    case '{':
      return open_block();
    case '@':
      return guarded_instruction();
    case '.':
      return directive_statement();
    case ';':
      return scan_.accept(';');
    default:
      return name_statement();
  }
}

bool Parser::open_block() {
  scan_.accept('{');
  names_.open_block();
  pending_of_block_.push_back(pending_.size());
  function_->body.push_back({StatementKind::kBlockOpen, 0});
  return true;
}

bool Parser::close_block() {
  scan_.accept('}');
  if (!resolve_labels(pending_of_block_.back(), false)) return false;
  pending_of_block_.pop_back();
  names_.close_block();
  function_->body.push_back({StatementKind::kBlockClose, 0});
  return true;
}

// Labels named since `from` that this block has; the others are left to the block around it.
bool Parser::resolve_labels(size_t from_here, bool last) {
  size_t kept = from_here;
  for (size_t i = from_here; i < pending_.size(); ++i) {
    const PendingLabel& pending = pending_[i];
    const Binding& binding = names_[pending.name];
    const bool label = binding.meaning == Meaning::kLabel;
    const bool other = pending.list == UINT32_MAX && (binding.meaning == Meaning::kTargets ||
                                                      binding.meaning == Meaning::kPrototype);
    if (!label && !other && last) {
      const std::string_view name = source_->text(pending.span);
      std::vector<std::string> known;
      for (const std::string_view candidate : names_.in_scope()) known.emplace_back(candidate);
      return fail(pending.span, fmt::format("unknown name '{}'", name), did_you_mean(name, known),
                  "unknown-name");
    }
    if (!label && !other) {
      pending_[kept++] = pending;
    } else if (pending.list != UINT32_MAX) {
      function_->targets[pending.list].targets[pending.index] = binding.index;
    } else {
      Operand& operand = function_->operands[pending.index];
      operand.index = binding.index;
      operand.value = 0;
      if (other) {
        operand.kind =
            binding.meaning == Meaning::kTargets ? OperandKind::kTargets : OperandKind::kPrototype;
      }
    }
  }
  pending_.resize(kept);
  return true;
}

bool Parser::name_statement() {
  const uint32_t begin = scan_.position();
  const std::string_view name = scan_.name();
  if (name.empty()) return expected("an instruction");
  const uint32_t after = scan_.position();
  if (scan_.peek() == '.' || scan_.peek() == ';') return instruction(begin, name);
  scan_.skip();
  if (scan_.peek() == ':' && scan_.peek(1) != ':') return label_statement(name, begin);
  scan_.rewind(after);
  return instruction(begin, name);
}

bool Parser::label_statement(std::string_view name, uint32_t begin) {
  const Span span{begin, begin + static_cast<uint32_t>(name.size())};
  scan_.accept(':');
  if (scan_.peek() == '.') {
    const uint32_t dot = scan_.position();
    scan_.advance();
    const std::string_view word = scan_.word();
    scan_.skip();
    if (word == "branchtargets" || word == "calltargets") {
      const auto index = static_cast<uint32_t>(function_->targets.size());
      return declare_name(name, Meaning::kTargets, index, span) &&
             target_list(name, word == "calltargets");
    }
    if (word == "callprototype") {
      const auto index = static_cast<uint32_t>(function_->prototypes.size());
      return declare_name(name, Meaning::kPrototype, index, span) && prototype(name);
    }
    scan_.rewind(dot);
  }
  const auto index = static_cast<uint32_t>(function_->labels.size());
  if (!declare_name(name, Meaning::kLabel, index, span)) return false;
  function_->labels.push_back({name, static_cast<uint32_t>(function_->instructions.size()), span});
  function_->body.push_back({StatementKind::kLabel, index});
  return true;
}

bool Parser::target_list(std::string_view name, bool is_call) {
  const auto list = static_cast<uint32_t>(function_->targets.size());
  TargetList made{name, is_call};
  do {
    const uint32_t begin = scan_.position();
    const std::string_view target = scan_.name();
    if (target.empty()) return expected("a target");
    const Span span = from(begin);
    scan_.skip();
    const uint32_t number = names_.number(target);
    if (is_call && names_[number].meaning != Meaning::kFunction) {
      return fail(span, fmt::format("'{}' is not a function", target), "", "unknown-name");
    }
    if (!is_call) {
      pending_.push_back({number, static_cast<uint32_t>(made.targets.size()), list, span});
    }
    made.targets.push_back(is_call ? names_[number].index : 0);
    made.spans.push_back(span);
  } while (scan_.accept(','));
  function_->body.push_back({StatementKind::kTargets, list});
  function_->targets.push_back(std::move(made));
  return expect(';');
}

// {(results)} _ {(params)} {directives};
bool Parser::prototype(std::string_view name) {
  Prototype made{name, {}};
  if (scan_.peek() == '(' && !parameter_list(made.signature.results, false)) return false;
  if (scan_.name() != "_") return expected("'_'");
  scan_.skip();
  if (scan_.peek() == '(' && !parameter_list(made.signature.params, false)) return false;
  if (!directives(made.signature)) return false;
  function_->body.push_back(
      {StatementKind::kPrototype, static_cast<uint32_t>(function_->prototypes.size())});
  function_->prototypes.push_back(std::move(made));
  return expect(';');
}

}  // namespace warpledger::ptx
