#include "warpledger/plan/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/plan/parser.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

constexpr size_t kMaxEvents = 1000;

const std::vector<std::string> kStatements = {
    "plan",   "gpu",    "threads", "registers", "ctas_per_sm", "cta_group", "let",
    "phases", "events", "order",   "smem",      "tmem",        "rotate",    "tmem_alloc"};

}  // namespace

bool Parser::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  next();
  return true;
}

Status Parser::expect(std::string_view text) {
  if (accept(text)) return {};
  return fault(peek().span, fmt::format("expected '{}' here", text), "", "syntax");
}

Result<Token> Parser::expect_name(std::string_view what) {
  if (peek().kind == Token::Kind::kWord) return next();
  return fault(peek().span, fmt::format("expected {} here", what), "", "syntax");
}

Diagnostic Parser::fault(Span span, std::string message, std::string hint, std::string code) const {
  return {.message = std::move(message),
          .hint = std::move(hint),
          .code = std::move(code),
          .at = source_.locate(span)};
}

void Parser::keep(Diagnostic diagnostic) { faults_.push_back(std::move(diagnostic)); }

void Parser::skip_line() {
  while (!at_line_end() && peek().kind != Token::Kind::kEnd) next();
}

Result<Plan> Parser::run() {
  plan_.order.close();
  while (peek().kind != Token::Kind::kEnd) {
    if (at_line_end()) {
      next();
      continue;
    }
    Status status = statement();
    if (status && !at_line_end()) {
      status =
          fault(peek().span, fmt::format("'{}' is not expected here", peek().text), "", "syntax");
    }
    if (!status) keep(status.error());
    skip_line();
  }
  if (faults_.empty()) check_lives();
  check_replaced();
  if (faults_.empty()) return std::move(plan_);
  Diagnostic first = faults_.front();
  first.also.assign(faults_.begin() + 1, faults_.end());
  return first;
}

Status Parser::statement() {
  const Token word = next();
  if (word.is("let")) return let_statement();
  if (word.is("phases")) return phases_statement();
  if (word.is("events")) return events_statement();
  if (word.is("order")) return order_statement();
  if (word.is("smem")) return buffer_statement(Space::kShared);
  if (word.is("tmem")) return buffer_statement(Space::kTensor);
  if (word.is("tmem_alloc")) return allocations_statement();
  if (word.is("rotate")) return rotate_statement();
  return header(word);
}

Status Parser::header(const Token& word) {
  const auto set = [&](int& field, int64_t low, int64_t high) -> Status {
    WL_TRY(const int64_t value, number_in(word.text, low, high));
    field = static_cast<int>(value);
    return {};
  };
  if (word.is("threads")) return set(plan_.threads, 1, 1024);
  if (word.is("registers")) return set(plan_.registers, 1, 255);
  if (word.is("ctas_per_sm")) return set(plan_.ctas_per_sm, 1, 32);
  if (word.is("cta_group")) return set(plan_.cta_group, 1, 2);
  if (word.is("plan") || word.is("gpu")) {
    WL_TRY(const Token name, expect_name("a name"));
    std::string text(name.text);
    while (word.is("gpu") && accept("-")) {  // GPU names have dashes: h100-sxm
      const Token part = next();
      if (part.kind != Token::Kind::kWord && part.kind != Token::Kind::kNumber) {
        return fault(part.span, "the name continues after a dash", "", "syntax");
      }
      text += "-" + std::string(part.text);
    }
    (word.is("plan") ? plan_.name : plan_.gpu) = text;
    return {};
  }
  std::string hint = did_you_mean(word.text, kStatements);
  if (hint.empty()) hint = fmt::format("a line begins with {}", fmt::join(kStatements, ", "));
  return fault(word.span, fmt::format("no statement begins with '{}'", word.text), hint,
               "unknown-statement");
}

Status Parser::let_statement() {
  WL_TRY(const Token name, expect_name("the name of a size"));
  WL_TRY_STATUS(expect("="));
  WL_TRY(const int64_t value, expression());
  const std::string key(name.text);
  if (plan_.sizes.contains(key)) {
    return fault(name.span, fmt::format("'{}' is already named", key), "", "duplicate-name");
  }
  const auto replaced = replaced_.find(key);
  plan_.sizes[key] = replaced == replaced_.end() ? value : replaced->second;
  return {};
}

Result<EventId> Parser::new_event(const Token& name, std::string_view suffix) {
  const std::string full = std::string(name.text) + std::string(suffix);
  if (plan_.order.find(full)) {
    return fault(name.span, fmt::format("'{}' is already an event", full), "", "duplicate-name");
  }
  if (plan_.order.names().size() >= kMaxEvents) {
    return fault(name.span, fmt::format("more than {} events", kMaxEvents), "", "too-large");
  }
  return plan_.order.add(full);
}

Status Parser::phases_statement() {
  if (!plan_.phases.empty()) {
    return fault(peek().span, "the phases are already named", "name them all on one line",
                 "duplicate-name");
  }
  do {
    WL_TRY(const Token name, expect_name("the name of a phase"));
    WL_TRY(const EventId begin, new_event(name, ".begin"));
    WL_TRY(const EventId end, new_event(name, ".end"));
    plan_.order.add_before(begin, end);
    if (!plan_.phases.empty()) plan_.order.add_before(plan_.phases.back().end, begin);
    plan_.phases.push_back({std::string(name.text), begin, end});
  } while (!at_line_end());
  plan_.order.close();
  return {};
}

Status Parser::events_statement() {
  do {
    WL_TRY(const Token name, expect_name("the name of an event"));
    WL_TRY(const EventId added, new_event(name));
    (void)added;
  } while (!at_line_end());
  plan_.order.close();
  return {};
}

Status Parser::order_statement() {
  const Span begin = peek().span;
  do {
    WL_TRY(EventId earlier, event(false));
    do {
      WL_TRY_STATUS(expect("<"));
      WL_TRY(const EventId later, event(false));
      plan_.order.add_before(earlier, later);
      earlier = later;
    } while (peek().is("<"));
  } while (accept(","));
  return check_order(cover(begin, tokens_[at_ - 1].span));
}

Status Parser::check_order(Span where) {
  plan_.order.close();
  const auto cycle = plan_.order.find_cycle();
  if (!cycle) return {};
  return fault(where,
               fmt::format("'{}' now comes both before and after '{}'",
                           plan_.order.name(cycle->first), plan_.order.name(cycle->second)),
               "remove one of the edges", "cyclic-order");
}

Status Parser::allocations_statement() {
  const Span begin = peek().span;
  std::vector<int64_t> columns;
  do {
    WL_TRY(const int64_t value, expression());
    columns.push_back(value);
  } while (accept(","));
  Status allowed = check_allocations(columns);
  if (!allowed) {
    return fault(cover(begin, tokens_[at_ - 1].span), allowed.error().message, allowed.error().hint,
                 allowed.error().code);
  }
  plan_.tensor_allocations = std::move(columns);
  return {};
}

void Parser::check_lives() {
  for (const Buffer& buffer : plan_.buffers) {
    for (const Slot& slot : buffer.slots) {
      const auto bad = std::find_if(slot.lives.begin(), slot.lives.end(), [&](const Lifetime& l) {
        return l.begin == l.end || !plan_.order.comes_before(l.begin, l.end);
      });
      if (bad == slot.lives.end()) continue;
      const std::string &begin = plan_.order.name(bad->begin), &end = plan_.order.name(bad->end);
      keep({.message = fmt::format("'{}' lives from {} to {}, but nothing says that {} comes first",
                                   buffer.name, begin, end, begin),
            .hint = fmt::format("order {} < {}", begin, end),
            .code = "unordered-lifetime",
            .at = buffer.where});
      break;
    }
  }
}

void Parser::check_replaced() {
  for (const auto& [name, value] : replaced_) {
    if (plan_.sizes.contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& [known, size] : plan_.sizes) names.push_back(known);
    keep({.message = fmt::format("{} has no 'let {}'", source_.name(), name),
          .hint = did_you_mean(name, names),
          .code = "unknown-size"});
  }
}

Result<Plan> parse(const Source& source, const Sizes& replaced) {
  WL_TRY(std::vector<Token> tokens, tokenize(source));
  return Parser(source, std::move(tokens), replaced).run();
}

}  // namespace warpledger::plan
