#include "warpledger/sass/witness/nearest_flow.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "warpledger/base/check.h"

namespace warpledger::sass {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max() / 4;

/// Nodes with too many or too few units, and ways between them.
class Network {
 public:
  explicit Network(uint32_t nodes)
      : ways_(nodes), surplus_(nodes), potential_(nodes), distance_(nodes), came_by_(nodes) {}

  void add_surplus(uint32_t node, int64_t units) { surplus_[node] += units; }
  /// Returns the way's number; the next number is the way back.
  uint32_t add_way(uint32_t from, uint32_t to, int64_t room, int64_t cost) {
    const auto number = static_cast<uint32_t>(to_.size());
    for (const auto& [node, end] : {std::pair(from, to), std::pair(to, from)}) {
      ways_[node].push_back(static_cast<uint32_t>(to_.size()));
      to_.push_back(end);
    }
    room_.insert(room_.end(), {room, 0});
    cost_.insert(cost_.end(), {cost, -cost});
    return number;
  }
  [[nodiscard]] int64_t moved(uint32_t way) const { return room_[way + 1]; }

  /// Whether everything found a place.
  bool settle() {
    for (uint32_t node = 0; node < ways_.size(); ++node) {
      while (surplus_[node] > 0) {
        const auto lacking = nearest_lack(node);
        if (!lacking) return false;
        move(node, *lacking);
      }
    }
    return true;
  }

 private:
  /// The nearest node that lacks units. Potentials make the ways' costs those beyond the shortest.
  std::optional<uint32_t> nearest_lack(uint32_t from) {
    std::fill(distance_.begin(), distance_.end(), kNoLimit);
    using Reached = std::pair<int64_t, uint32_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
    std::vector<uint32_t> settled;
    distance_[from] = 0;
    open.emplace(0, from);
    while (!open.empty()) {
      const auto [far, node] = open.top();
      open.pop();
      if (far > distance_[node]) continue;
      if (surplus_[node] < 0) {
        for (const uint32_t one : settled) potential_[one] += distance_[one] - far;
        return node;
      }
      settled.push_back(node);
      for (const uint32_t way : ways_[node]) {
        if (room_[way] == 0) continue;
        const int64_t next = far + cost_[way] + potential_[node] - potential_[to_[way]];
        if (next >= distance_[to_[way]]) continue;
        distance_[to_[way]] = next;
        came_by_[to_[way]] = way;
        open.emplace(next, to_[way]);
      }
    }
    return {};
  }

  void move(uint32_t from, uint32_t to) {
    int64_t units = std::min(surplus_[from], -surplus_[to]);
    for (uint32_t at = to; at != from; at = to_[came_by_[at] ^ 1])
      units = std::min(units, room_[came_by_[at]]);
    for (uint32_t at = to; at != from; at = to_[came_by_[at] ^ 1]) {
      room_[came_by_[at]] -= units;
      room_[came_by_[at] ^ 1] += units;
    }
    surplus_[from] -= units;
    surplus_[to] += units;
  }

  std::vector<std::vector<uint32_t>> ways_;  // by node
  std::vector<uint32_t> to_;                 // by way
  std::vector<int64_t> room_, cost_;
  std::vector<int64_t> surplus_, potential_, distance_;
  std::vector<uint32_t> came_by_;
};

/// A way that begins with its estimate; a unit more or less costs its weight.
class Estimated {
 public:
  Estimated(Network& network, uint32_t from, uint32_t to, const Estimate& estimate)
      : ran_(static_cast<int64_t>(estimate.count)) {
    const auto weight = static_cast<int64_t>(estimate.weight);
    network.add_surplus(from, -ran_);
    network.add_surplus(to, ran_);
    more_ = network.add_way(from, to, kNoLimit, weight);
    less_ = network.add_way(to, from, ran_, weight);
  }
  [[nodiscard]] uint64_t count(const Network& network) const {
    return static_cast<uint64_t>(ran_ + network.moved(more_) - network.moved(less_));
  }

 private:
  int64_t ran_;
  uint32_t more_ = 0, less_ = 0;
};

uint32_t start_of(uint32_t block) { return 2 * block; }
uint32_t end_of(uint32_t block) { return 2 * block + 1; }

}  // namespace

std::optional<std::vector<uint64_t>> nearest_flow(const std::vector<SassBlock>& blocks,
                                                  const Estimates& estimates,
                                                  const Entries& entries) {
  WL_CHECK(estimates.blocks.size() == blocks.size());
  const auto count = static_cast<uint32_t>(blocks.size());
  const uint32_t outside = 2 * count;
  Network network(outside + 1);
  std::vector<Estimated> counts;
  for (uint32_t b = 0; b < count; ++b) {
    counts.emplace_back(network, start_of(b), end_of(b), estimates.blocks[b]);
    for (const uint32_t next : blocks[b].successors) {
      const auto told = estimates.edges.find({b, next});
      const Estimate estimate = told == estimates.edges.end() ? Estimate{0, 0} : told->second;
      Estimated(network, end_of(b), start_of(next), estimate);
    }
    if (blocks[b].leaves) network.add_way(end_of(b), outside, kNoLimit, 0);
  }
  for (const auto& [block, entered] : entries) {
    if (!entered) network.add_way(outside, start_of(block), kNoLimit, 0);
    network.add_surplus(start_of(block), static_cast<int64_t>(entered.value_or(0)));
    network.add_surplus(outside, -static_cast<int64_t>(entered.value_or(0)));
  }
  if (!network.settle()) return {};
  std::vector<uint64_t> result;
  for (const Estimated& one : counts) result.push_back(one.count(network));
  return result;
}

}  // namespace warpledger::sass
