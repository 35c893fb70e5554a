// rotate NAME depth N live LIFETIME
//   load K bf16 [128, 192] swizzle 128B
//   load V bf16 [128, 128] swizzle 128B
//   wait 6 for 4
// end
//
// One producer loads K V K V ... and is never more than N loads ahead: load i+N waits for the
// release of load i. The pattern of places repeats after lcm(loads, N) loads, so each of those is a
// slot of its own, alive once in each of two unrolled rounds; what the end of one round shares with
// the beginning of the next is then in the happens-before order like everything else. `wait t for
// s` is a further wait: load t begins after load s is released, in every round.
#include <fmt/core.h>

#include <numeric>

#include "warpledger/plan/parser.h"

namespace warpledger::plan {
namespace {

constexpr int64_t kMaxRound = 48;  // loads until the pattern repeats
constexpr int kRounds = 2;

}  // namespace

Status Parser::rotate_statement() {
  WL_TRY(const Token name, expect_name("the name of the ring"));
  WL_TRY_STATUS(expect("depth"));
  WL_TRY(const int64_t depth, number_in("a depth", 1, kMaxRound));
  Lifetime life;
  if (accept("live")) {
    WL_TRY(life, lifetime());
  }
  std::vector<Buffer> loads;
  std::vector<std::pair<int64_t, int64_t>> waits;
  while (!accept("end")) {
    if (at_line_end()) {
      next();
    } else if (accept("load")) {
      Clauses clauses;
      WL_TRY(Buffer one, buffer(Space::kShared, clauses));
      loads.push_back(std::move(one));
    } else if (accept("wait")) {
      WL_TRY(const int64_t load, number_in("a load", 0, kRounds * kMaxRound));
      WL_TRY_STATUS(expect("for"));
      WL_TRY(const int64_t released, number_in("a load", 0, kRounds * kMaxRound));
      waits.emplace_back(load, released);
    } else {
      return fault(peek().span, "only load and wait are allowed between rotate and its end",
                   "close it: end", "syntax");
    }
  }
  if (loads.empty()) return fault(name.span, "nothing is loaded into this ring", "", "syntax");
  return add_rotation(name, depth, life, loads, waits);
}

Status Parser::add_rotation(const Token& name, int64_t depth, const Lifetime& life,
                            std::vector<Buffer>& loads,
                            const std::vector<std::pair<int64_t, int64_t>>& waits) {
  const int64_t kinds = static_cast<int64_t>(loads.size());
  const int64_t round = std::lcm(kinds, depth);
  if (round > kMaxRound) {
    return fault(name.span, fmt::format("this ring repeats only after {} loads", round),
                 fmt::format("at most {}", kMaxRound), "too-large");
  }
  const int64_t count = kRounds * round;
  std::vector<Lifetime> lives;
  for (int64_t i = 0; i < count; ++i) {
    WL_TRY(const EventId begin, new_event(name, fmt::format(".load{}", i)));
    WL_TRY(const EventId end, new_event(name, fmt::format(".release{}", i)));
    lives.push_back({begin, end});
  }
  const auto order = [&](EventId a, EventId b) { plan_.order.add_before(a, b); };
  order(life.begin, lives.front().begin);
  order(lives.back().end, life.end);
  for (int64_t i = 0; i < count; ++i) {
    order(lives[i].begin, lives[i].end);
    if (i + 1 < count) order(lives[i].begin, lives[i + 1].begin);
    if (i + 1 < count) order(lives[i].end, lives[i + 1].end);
    if (i + depth < count) order(lives[i].end, lives[i + depth].begin);
  }
  for (const auto& [load, released] : waits) {
    for (int64_t shift = -round; shift < count; shift += round) {
      const int64_t i = load + shift, j = released + shift;
      if (i >= 0 && j >= 0 && i < count && j < count) order(lives[j].end, lives[i].begin);
    }
  }
  WL_TRY_STATUS(check_order(name.span));
  for (int64_t kind = 0; kind < kinds; ++kind) {
    Buffer& one = loads[kind];
    one.ring = static_cast<int>(round / kinds);
    one.is_loaded = true;
    one.bytes_in_flight = (depth - 1) * one.size / kinds;
    for (int64_t i = kind; i < round; i += kinds) {
      one.slots.push_back(
          {static_cast<int>(i / kinds), 1, {lives[i], lives[i + round]}, std::nullopt});
    }
    WL_TRY_STATUS(add(std::move(one)));
  }
  return {};
}

}  // namespace warpledger::plan
