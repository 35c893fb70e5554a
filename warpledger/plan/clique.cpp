// Maximal cliques of the conflict graph (Bron and Kerbosch 1973, with Tomita's pivot). The heaviest
// clique is a lower bound of any packing: its items need disjoint places.
#include <algorithm>
#include <numeric>

#include "warpledger/plan/pack.h"

namespace warpledger::plan {
namespace {

using Items = std::vector<int>;

class CliqueSearch {
 public:
  CliqueSearch(const PackProblem& problem, int limit) : problem_(problem), limit_(limit) {}

  std::vector<Items> run() {
    Items everything(problem_.items.size());
    std::iota(everything.begin(), everything.end(), 0);
    // Heavy items first: when the limit cuts the list, the cliques that bound most are in it.
    std::stable_sort(everything.begin(), everything.end(),
                     [&](int a, int b) { return size(a) > size(b); });
    grow({}, everything, {});
    return std::move(found_);
  }

 private:
  [[nodiscard]] int64_t size(int item) const { return problem_.items[item].size; }
  [[nodiscard]] Items neighbors(int item, const Items& among) const {
    Items near;
    for (int other : among) {
      if (problem_.conflicts[item][other]) near.push_back(other);
    }
    return near;
  }

  int pivot(const Items& open, const Items& closed) const {
    int best = open.front();
    size_t most = 0;
    for (const Items* side : {&open, &closed}) {
      for (int item : *side) {
        const size_t degree = neighbors(item, open).size();
        if (degree > most) best = item, most = degree;
      }
    }
    return best;
  }

  void grow(const Items& clique, Items open, Items closed) {
    if (static_cast<int>(found_.size()) >= limit_) return;
    if (open.empty()) {
      if (closed.empty() && !clique.empty()) found_.push_back(clique);
      return;
    }
    const int turn = pivot(open, closed);
    for (int item : Items(open)) {
      if (problem_.conflicts[turn][item]) continue;
      Items larger = clique;
      larger.push_back(item);
      grow(larger, neighbors(item, open), neighbors(item, closed));
      open.erase(std::find(open.begin(), open.end(), item));
      closed.push_back(item);
    }
  }

  const PackProblem& problem_;
  int limit_;
  std::vector<Items> found_;
};

}  // namespace

std::vector<std::vector<int>> cliques(const PackProblem& problem, int limit) {
  std::vector<Items> found = CliqueSearch(problem, limit).run();
  const auto weight = [&](const Items& clique) {
    int64_t sum = 0;
    for (int item : clique) sum += problem.items[item].size;
    return sum;
  };
  for (Items& clique : found) std::sort(clique.begin(), clique.end());
  std::sort(found.begin(), found.end(), [&](const Items& a, const Items& b) {
    const int64_t wa = weight(a), wb = weight(b);
    return wa != wb ? wa > wb : a < b;
  });
  return found;
}

}  // namespace warpledger::plan
