#include "warpledger/plan/pack_search.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "warpledger/base/units.h"

namespace warpledger::plan {
namespace {

constexpr int kMaxStatesOfSet = 256;    // failed states kept for one set of placed items
constexpr size_t kMaxStates = 2000000;  // about 200 MB at 20 items

// Up to this limit a place, or "beyond the limit", is 32 bits; with a larger one nothing is kept.
constexpr int64_t kMaxRemembered = std::numeric_limits<int32_t>::max() - 1;

/// A branch that was searched without success. lowest[k] is where the k-th open item would
/// stand.
struct FailedState {
  int64_t floor;
  int64_t offset_sum;
  std::vector<int32_t> lowest;  // half the memory: the search keeps as many as it can
};

class OrderSearch {
 public:
  OrderSearch(const PackProblem& problem, const std::vector<std::vector<int>>& bounds,
              int64_t limit, int64_t node_limit)
      : problem_(problem),
        limit_(limit),
        node_limit_(node_limit),
        count_(static_cast<int>(problem.items.size())),
        lowest_(count_ + 1, std::vector<int64_t>(count_, 0)),
        offsets_(count_, 0),
        earliest_(count_, 0) {
    for (const std::vector<int>& clique : bounds) {
      uint64_t& set = bounds_.emplace_back(0);
      for (int item : clique) set |= uint64_t{1} << item;
    }
    find_twins();
    find_alignments();
  }

  Outcome run() { return descend({0, 0, 0, 0}); }
  [[nodiscard]] const std::vector<int64_t>& offsets() const { return offsets_; }
  [[nodiscard]] int64_t nodes() const { return nodes_; }

 private:
  struct Node {
    int depth;
    uint64_t placed;
    int64_t floor;  // offset of the item placed last: later ones are not lower
    int64_t offset_sum;
  };

  /// An item with an earlier twin (same size, alignment and conflicts) waits for it.
  void find_twins() {
    twin_.assign(count_, -1);
    for (int b = 0; b < count_; ++b) {
      for (int a = b - 1; a >= 0 && twin_[b] < 0; --a) {
        if (are_twins(a, b)) twin_[b] = a;
      }
    }
  }
  /// The alignments that can cost padding.
  void find_alignments() {
    for (const PackItem& item : problem_.items) {
      if (item.size % item.alignment != 0) alignments_.push_back(item.alignment);
    }
    std::sort(alignments_.begin(), alignments_.end());
    alignments_.erase(std::unique(alignments_.begin(), alignments_.end()), alignments_.end());
  }
  [[nodiscard]] bool are_twins(int a, int b) const {
    const PackItem &x = problem_.items[a], &y = problem_.items[b];
    if (x.size != y.size || x.alignment != y.alignment) return false;
    for (int other = 0; other < count_; ++other) {
      if (other == a || other == b) continue;
      if (problem_.conflicts[a][other] != problem_.conflicts[b][other]) return false;
    }
    return true;
  }
  [[nodiscard]] static bool has(uint64_t set, int item) { return (set >> item & 1) != 0; }

  Outcome descend(const Node& node) {
    if (node.depth == count_) return Outcome::kFound;
    if (++nodes_ > node_limit_) return Outcome::kGaveUp;
    if (!find_earliest(node) || !can_stack() || has_failed(node)) return Outcome::kImpossible;
    for (int item = 0; item < count_; ++item) {
      if (!may_come_next(node, item)) continue;
      const Outcome outcome = descend(place(node, item));
      if (outcome != Outcome::kImpossible) return outcome;
    }
    remember(node);
    return Outcome::kImpossible;
  }

  [[nodiscard]] bool may_come_next(const Node& node, int item) const {
    const std::vector<int64_t>& lowest = lowest_[node.depth];
    if (has(node.placed, item) || lowest[item] < node.floor) return false;
    if (lowest[item] + problem_.items[item].size > limit_) return false;
    if (twin_[item] >= 0 && !has(node.placed, twin_[item])) return false;
    for (int other = 0; other < count_; ++other) {
      if (other == item || has(node.placed, other)) continue;
      // `other` fits wholly below: a packing in which nothing can move down has it there.
      if (lowest[other] + problem_.items[other].size <= lowest[item]) return false;
    }
    return true;
  }

  Node place(const Node& node, int item) {
    const std::vector<int64_t>& before = lowest_[node.depth];
    std::vector<int64_t>& after = lowest_[node.depth + 1];
    const int64_t offset = before[item];
    const int64_t end = offset + problem_.items[item].size;
    offsets_[item] = offset;
    for (int other = 0; other < count_; ++other) {
      after[other] = problem_.conflicts[item][other] && end > before[other]
                         ? round_up(end, problem_.items[other].alignment)
                         : before[other];
    }
    return {node.depth + 1, node.placed | uint64_t{1} << item, offset, node.offset_sum + offset};
  }

  /// Where each open item can begin at the earliest. One whose lowest place is below the floor has
  /// missed it: it waits for an open item in conflict to stand on. False: one waits for nobody.
  bool find_earliest(const Node& node) {
    open_.clear();
    waiting_.clear();
    for (int item = 0; item < count_; ++item) {
      if (has(node.placed, item)) continue;
      const int64_t lowest = lowest_[node.depth][item];
      if (lowest < node.floor) {
        waiting_.push_back(item);
      } else {
        open_.emplace_back(lowest, item);
      }
    }
    // As in Dijkstra's shortest paths: the earliest of those that wait is final.
    while (!waiting_.empty()) {
      const auto next = std::min_element(waiting_.begin(), waiting_.end(), [&](int a, int b) {
        return earliest_stand(a) < earliest_stand(b);
      });
      const int64_t earliest = earliest_stand(*next);
      if (earliest + problem_.items[*next].size > limit_) return false;
      open_.emplace_back(earliest, *next);
      waiting_.erase(next);
    }
    std::sort(open_.begin(), open_.end());
    for (const auto& [earliest, item] : open_) earliest_[item] = earliest;
    return true;
  }
  [[nodiscard]] int64_t earliest_stand(int item) const {
    int64_t earliest = limit_;
    for (const auto& [begin, other] : open_) {
      if (!problem_.conflicts[item][other]) continue;
      const int64_t end = begin + problem_.items[other].size;
      earliest = std::min(earliest, round_up(end, problem_.items[item].alignment));
    }
    return earliest;
  }

  [[nodiscard]] bool can_stack() {
    for (const uint64_t clique : bounds_) {
      stack_.clear();
      for (const auto& place : open_) {
        if (has(clique, place.second)) stack_.push_back(place);
      }
      if (least_end(1) > limit_) return false;
      for (int64_t alignment : alignments_) {
        if (least_end(alignment) > limit_) return false;
      }
    }
    return true;
  }

  /// The items of stack_ with at least this alignment one after the other, each from its
  /// earliest place on (one machine with release dates). All of them begin at multiples of the
  /// alignment, so each but the last also costs its padding; the last is the one with the most.
  [[nodiscard]] int64_t least_end(int64_t alignment) const {
    int64_t end = 0, most_padding = 0;
    for (const auto& [release, item] : stack_) {
      const PackItem& one = problem_.items[item];
      if (one.alignment < alignment) continue;
      const int64_t size = round_up(one.size, alignment);
      end = std::max(end, round_up(release, alignment)) + size;
      most_padding = std::max(most_padding, size - one.size);
    }
    return end - most_padding;
  }

  [[nodiscard]] std::vector<int32_t> open_lowest(const Node& node) const {
    std::vector<int32_t> open;
    open.reserve(static_cast<size_t>(count_ - node.depth));
    for (int item = 0; item < count_; ++item) {
      if (has(node.placed, item)) continue;
      open.push_back(static_cast<int32_t>(std::min(lowest_[node.depth][item], limit_ + 1)));
    }
    return open;
  }

  /// Sound: were there a completion of `node` with the least sum of offsets, the failed state would
  /// have had it too, with a sum no greater: nothing in it begins before its earliest place.
  [[nodiscard]] bool has_failed(const Node& node) const {
    const auto known = failed_.find(node.placed);
    if (known == failed_.end()) return false;
    for (const FailedState& state : known->second) {
      if (state.floor > open_.front().first || state.offset_sum > node.offset_sum) continue;
      bool no_lower = true;
      size_t k = 0;
      for (int item = 0; item < count_ && no_lower; ++item) {
        if (!has(node.placed, item)) no_lower = state.lowest[k++] <= earliest_[item];
      }
      if (no_lower) return true;
    }
    return false;
  }
  void remember(const Node& node) {
    if (states_ >= kMaxStates || limit_ > kMaxRemembered) return;
    std::vector<FailedState>& states = failed_[node.placed];
    if (states.size() >= kMaxStatesOfSet) return;
    states.push_back({node.floor, node.offset_sum, open_lowest(node)});
    ++states_;
  }

  const PackProblem& problem_;
  std::vector<uint64_t> bounds_;  // cliques, as sets
  int64_t limit_;
  int64_t node_limit_;
  int count_;
  std::vector<std::vector<int64_t>> lowest_;  // by depth, by item
  std::vector<int64_t> offsets_;
  std::vector<int> twin_;
  std::vector<int64_t> alignments_;
  // Of the node at hand:
  std::vector<int64_t> earliest_;               // by item
  std::vector<std::pair<int64_t, int>> open_;   // (earliest place, item), ascending
  std::vector<std::pair<int64_t, int>> stack_;  // those of one clique
  std::vector<int> waiting_;
  std::unordered_map<uint64_t, std::vector<FailedState>> failed_;
  size_t states_ = 0;
  int64_t nodes_ = 0;
};

}  // namespace

Searched search_packing(const PackProblem& problem, const std::vector<std::vector<int>>& bounds,
                        int64_t limit, int64_t node_limit) {
  OrderSearch search(problem, bounds, limit, node_limit);
  const Outcome outcome = search.run();
  return {outcome, search.offsets(), search.nodes()};
}

}  // namespace warpledger::plan
