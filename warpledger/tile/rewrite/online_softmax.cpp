// Online softmax, the algebra that lets a softmax be fused. A first loop finds m = max_j t_j, a
// second sums w_j = exp(t_j - m) f_j. One loop does both: with m_j the maximum so far,
//   A_j = A_{j-1} * exp(m_{j-1} - m_j) + exp(t_j - m_j) f_j,
// and A after the last turn is the sum wanted (Milakov and Gimelshein 2018; Dao et al. 2022).
#include <algorithm>

#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/rule.h"
#include "warpledger/tile/rewrite/site.h"

namespace warpledger::tile {
namespace {

/// The two loops of one body and what was recognized in them.
struct Softmax {
  size_t first = 0, second = 0;  // the loops
  std::string maximum;           // m
  std::string scores;            // t, as the second loop calls it
  size_t exponential = 0;        // where the second loop has e = exp(t - m)
  std::set<std::string> sums;    // the accumulators that add e
};

/// Matches the statements of `a` with equal ones of `b`; names of `a` -> names of `b`.
std::optional<Renaming> matched(const Loop& a, size_t statements, const Loop& b) {
  Renaming names = {{a.variable, b.variable}};
  for (size_t i = 0; i < statements; ++i) {
    const auto made = tile_written(a.body[i]);
    if (!made) return std::nullopt;
    bool found = false;
    for (const Statement& other : b.body) {
      const auto also = tile_written(other);
      if (!also || std::holds_alternative<Loop>(other.node)) continue;
      Renaming trial = names;
      trial[*made] = *also;
      if (to_text(renamed(a.body[i], trial)) != to_text(other)) continue;
      names = std::move(trial);
      found = true;
      break;
    }
    if (!found) return std::nullopt;
  }
  return names;
}

/// The first loop only makes tiles and, at its end, the running maximum of one of them.
const Reduce* final_maximum(const Loop& loop, const TileTypes& types) {
  if (loop.body.empty()) return nullptr;
  const auto* reduce = std::get_if<Reduce>(&loop.body.back().node);
  if (reduce == nullptr || !reduce->accumulates || reduce->kind != Reduction::kMax) return nullptr;
  for (size_t i = 0; i + 1 < loop.body.size(); ++i) {
    const auto made = tile_written(loop.body[i]);
    if (!made || types.at(*made).is_accumulator) return nullptr;
  }
  return reduce;
}

/// e = exp(t - m), the only statement of the loop that reads m.
std::optional<size_t> exponential_of(const Loop& loop, const std::string& scores,
                                     const std::string& maximum) {
  if (reads_of(loop.body, maximum) != 1 || tiles_written(loop.body).count(maximum) > 0) {
    return std::nullopt;
  }
  const Formula wanted{"exp", {Formula{"-", {Formula{scores}, Formula{maximum}}}}};
  for (size_t i = 0; i < loop.body.size(); ++i) {
    const auto* each = std::get_if<Elementwise>(&loop.body[i].node);
    if (each != nullptr && each->formula == wanted) return i;
  }
  return std::nullopt;
}

/// The accumulators that add e linearly, when e is read by nothing else.
std::optional<std::set<std::string>> sums_of(const Loop& loop, const std::string& e) {
  std::set<std::string> sums;
  for (const Statement& statement : loop.body) {
    if (std::holds_alternative<Loop>(statement.node)) return std::nullopt;
    if (!contains(tiles_read(statement), e)) continue;
    const auto* product = std::get_if<Matmul>(&statement.node);
    const auto* reduce = std::get_if<Reduce>(&statement.node);
    const bool adds_product =
        product != nullptr && product->accumulates && product->left == e && product->right != e;
    const bool adds_rows =
        reduce != nullptr && reduce->accumulates && reduce->kind == Reduction::kSum;
    if (!adds_product && !adds_rows) return std::nullopt;
    if (!sums.insert(*tile_written(statement)).second) return std::nullopt;
  }
  return sums;
}

/// Each sum starts at 0 between the loops or before them and is touched once in the second loop.
bool start_at_zero(const Body& body, size_t second, const std::set<std::string>& sums) {
  const Loop& loop = std::get<Loop>(body[second].node);
  for (const std::string& sum : sums) {
    if (reads_of(loop.body, sum) != 1) return false;
    bool declared = false;
    for (size_t i = 0; i < second; ++i) {
      const auto* made = std::get_if<Accumulator>(&body[i].node);
      if (made != nullptr && made->name == sum && made->value == 0)
        declared = true;
      else if (reads_of({body[i]}, sum) > 0 || tiles_written({body[i]}).count(sum) > 0)
        return false;
    }
    if (!declared) return false;
  }
  return true;
}

/// Only accumulator declarations stand between the loops.
bool only_declares(const Body& body, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    if (!std::holds_alternative<Accumulator>(body[i].node)) return false;
  }
  return true;
}

std::optional<Softmax> recognize(const Body& body, size_t first, const TileTypes& types) {
  Softmax found{first, first + 1, "", "", 0, {}};
  while (found.second < body.size() && !std::holds_alternative<Loop>(body[found.second].node)) {
    ++found.second;
  }
  if (found.second == body.size() || !only_declares(body, first + 1, found.second)) return {};
  const Loop& a = std::get<Loop>(body[first].node);
  const Loop& b = std::get<Loop>(body[found.second].node);
  const Reduce* maximum = final_maximum(a, types);
  if (maximum == nullptr || !(a.count == b.count)) return std::nullopt;
  const auto names = matched(a, a.body.size() - 1, b);
  if (!names || names->count(maximum->source) == 0) return std::nullopt;
  found.maximum = maximum->result;
  found.scores = names->at(maximum->source);
  const auto exponential = exponential_of(b, found.scores, found.maximum);
  if (!exponential) return std::nullopt;
  found.exponential = *exponential;
  const auto sums = sums_of(b, std::get<Elementwise>(b.body[*exponential].node).result);
  if (!sums || sums->empty() || !start_at_zero(body, found.second, *sums)) return std::nullopt;
  found.sums = *sums;
  return found;
}

Statement elementwise(const std::string& result, Formula formula) {
  return {Elementwise{result, std::move(formula), {}}};
}

/// m grows, and c is what the sums so far must be multiplied with.
Body repair(const Softmax& s, const std::string& peak, const std::string& next,
            const std::string& correction) {
  const Formula old{s.maximum}, grown{next};
  return {{Reduce{peak, s.scores, Reduction::kMax, false}},
          elementwise(next, {"max", {old, Formula{peak}}}),
          elementwise(correction, {"exp", {Formula{"-", {old, grown}}}}),
          elementwise(s.maximum, grown)};
}

Body fused(const Program& program, const Kernel& kernel, const Loop& loop, const Softmax& s) {
  const std::string correction = free_name(program, kernel, "c");
  Body out;
  for (size_t i = 0; i < loop.body.size(); ++i) {
    if (i == s.exponential) {
      const Body grows = repair(s, free_name(program, kernel, "peak"),
                                free_name(program, kernel, s.maximum + "_new"), correction);
      out.insert(out.end(), grows.begin(), grows.end());
    }
    const auto sum = tile_written(loop.body[i]);
    if (sum && s.sums.count(*sum) > 0) {
      out.push_back(elementwise(*sum, {"*", {Formula{*sum}, Formula{correction}}}));
    }
    out.push_back(loop.body[i]);
  }
  return out;
}

}  // namespace

Rewritings online_softmax(const Program& program, const Types& types) {
  Rewritings made;
  for (const Site& site : all_sites(program)) {
    if (node_at<Loop>(program, site) == nullptr) continue;
    const Body& body = body_at(program, site);
    const auto found = recognize(body, site.at, types[site.kernel]);
    if (!found) continue;
    const Loop& second = std::get<Loop>(body[found->second].node);
    Program next = program;
    Body& edited = body_at(next, site);
    std::get<Loop>(edited[found->second].node).body =
        fused(program, program.kernels[site.kernel], second, *found);
    edited.erase(edited.begin() + static_cast<long>(found->first));
    made.push_back({place_text(program, site), std::move(next)});
  }
  return made;
}

}  // namespace warpledger::tile
