// What each lane of a warp gets at a `.sync` instruction, by PTX's text, lane by lane.
#pragma once

#include <optional>

#include "tests/unit/exec/jit/exchange_cases.h"

namespace warpledger::exec {

class NaiveWarp {
 public:
  NaiveWarp(const WarpInput& in, std::string text, Form form)
      : in_(in), text_(std::move(text)), form_(form) {}

  [[nodiscard]] bool executes(uint32_t lane) const {
    return form_ == Form::kGuarded ? (in_[lane].flags & kPasses) != 0 : lives(lane);
  }

  /// Empty where PTX leaves the result open.
  [[nodiscard]] std::optional<LaneOutput> expected(uint32_t lane) const {
    if (starts("shfl")) return shuffled(lane);
    if (starts("vote")) return voted(lane);
    if (starts("match")) return matched(lane);
    if (starts("elect")) return elected(lane);
    if (starts("activemask")) return LaneOutput{together(lane), 0};
    if (starts("bar")) return read_word(lane);
    if (text_.ends_with("f32")) return LaneOutput{reduced_float(lane), 0};
    return LaneOutput{reduced(lane), 0};
  }

  /// NaNs are alike.
  [[nodiscard]] bool is_right(const LaneOutput& got, const LaneOutput& want) const {
    const auto is_nan = [](uint32_t bits) { return std::isnan(std::bit_cast<float>(bits)); };
    if (text_.ends_with("f32") && is_nan(got.d) && is_nan(want.d)) return true;
    return got.d == want.d && got.p == want.p;
  }

 private:
  [[nodiscard]] bool starts(const char* with) const { return text_.rfind(with, 0) == 0; }
  [[nodiscard]] bool has(const char* word) const { return text_.find(word) != std::string::npos; }
  [[nodiscard]] bool lives(uint32_t lane) const {
    const bool may_end = form_ == Form::kExited || form_ == Form::kLeavingLate;
    return !may_end || (in_[lane].flags & kExits) == 0;
  }
  /// Whom the lane hears of: those that it names and that have not exited.
  [[nodiscard]] bool hears(uint32_t lane, uint32_t other) const {
    return (in_[lane].mask >> other & 1) != 0 && lives(other);
  }
  template <class F>
  void for_each_heard(uint32_t lane, F f) const {
    for (uint32_t other = 0; other < 32; ++other)
      if (hears(lane, other)) f(other);
  }

  [[nodiscard]] std::optional<LaneOutput> shuffled(uint32_t lane) const {
    const uint32_t bval = in_[lane].b & 31, cval = in_[lane].c & 31, mask = in_[lane].c >> 8 & 31;
    const auto top = static_cast<int64_t>((lane & mask) | (cval & ~mask));
    int64_t j = 0;
    bool p = false;
    if (has(".up.")) j = int64_t{lane} - bval, p = j >= top;
    if (has(".down.")) j = int64_t{lane} + bval, p = j <= top;
    if (has(".bfly.")) j = lane ^ bval, p = j <= top;
    if (has(".idx.")) j = (lane & mask) | (bval & ~mask), p = j <= top;
    if (!p) j = lane;
    if (!hears(lane, static_cast<uint32_t>(j))) return {};
    return LaneOutput{static_cast<uint32_t>(in_[static_cast<size_t>(j)].a), p ? 1u : 0u};
  }

  [[nodiscard]] LaneOutput voted(uint32_t lane) const {
    uint32_t set = 0;
    bool all = true;
    for_each_heard(lane, [&](uint32_t other) {
      const bool yes = (in_[other].b & 1) != 0;
      all &= yes;
      if (yes) set |= 1u << other;
    });
    const bool any = set != 0;
    if (has("ballot")) return {set, 0};
    const bool one = has(".all.") ? all : has(".any.") ? any : all || !any;
    return {0xdead, one ? 1u : 0u};
  }

  [[nodiscard]] LaneOutput matched(uint32_t lane) const {
    uint32_t same = 0;
    bool all = true;
    uint32_t heard = 0;
    for_each_heard(lane, [&](uint32_t other) {
      const uint64_t difference = in_[other].a ^ in_[lane].a;
      const bool equal = (text_.ends_with("64") ? difference : difference & 0xffffffff) == 0;
      heard |= 1u << other;
      all &= equal;
      if (equal) same |= 1u << other;
    });
    if (has(".any.")) return {same, 0};
    return {all ? heard : 0, all ? 1u : 0u};
  }

  // Ours is the lowest; PTX says one, and the same for all.
  [[nodiscard]] LaneOutput elected(uint32_t lane) const {
    uint32_t leader = 32;
    for_each_heard(lane, [&](uint32_t other) { leader = std::min(leader, other); });
    return {leader, leader == lane ? 1u : 0u};
  }

  [[nodiscard]] uint32_t reduced(uint32_t lane) const {
    std::optional<uint32_t> sum;
    for_each_heard(lane, [&](uint32_t other) {
      const auto v = static_cast<uint32_t>(in_[other].a);
      if (!sum) return void(sum = v);
      const bool less =
          has("s32") ? static_cast<int32_t>(v) < static_cast<int32_t>(*sum) : v < *sum;
      if (has(".add.")) *sum += v;
      if (has(".and.")) *sum &= v;
      if (has(".or.")) *sum |= v;
      if (has(".xor.")) *sum ^= v;
      if (has(".min.") && less) sum = v;
      if (has(".max.") && !less) sum = v;
    });
    return sum.value_or(0);
  }

  // A NaN loses, or wins with .NaN; -0 is less than +0.
  [[nodiscard]] uint32_t reduced_float(uint32_t lane) const {
    std::optional<float> best;
    bool nan = false;
    for_each_heard(lane, [&](uint32_t other) {
      auto value = std::bit_cast<float>(static_cast<uint32_t>(in_[other].a));
      if (has(".abs")) value = std::fabs(value);
      if (std::isnan(value)) return void(nan = true);
      if (!best) return void(best = value);
      const bool less =
          value < *best || (value == *best && std::signbit(value) && !std::signbit(*best));
      if (less == has(".min.")) best = value;
    });
    if ((nan && has(".NaN")) || !best) return std::bit_cast<uint32_t>(NAN);
    return std::bit_cast<uint32_t>(*best);
  }

  /// Who executes the instruction at the same time.
  [[nodiscard]] uint32_t together(uint32_t lane) const {
    uint32_t set = 0;
    for (uint32_t other = 0; other < 32; ++other) {
      const bool side = ((in_[lane].flags ^ in_[other].flags) & kOtherSide) == 0;
      const bool turn = in_[lane].turn == in_[other].turn;
      const bool by_side =
          form_ == Form::kSides || form_ == Form::kSidesApart || form_ == Form::kLeavingLate;
      const bool by_turn = form_ == Form::kTurns || form_ == Form::kTurnsApart;
      if (executes(other) && (!by_side || side) && (!by_turn || turn)) set |= 1u << other;
    }
    return set;
  }

  /// bar.warp.sync: the word that lane b wrote before it.
  [[nodiscard]] std::optional<LaneOutput> read_word(uint32_t lane) const {
    const uint32_t from = in_[lane].b;
    if (!hears(lane, from)) return {};
    return LaneOutput{static_cast<uint32_t>(in_[from].a), 0};
  }

  const WarpInput& in_;
  std::string text_;
  Form form_;
};

}  // namespace warpledger::exec
