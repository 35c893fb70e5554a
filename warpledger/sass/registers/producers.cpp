#include "warpledger/sass/registers/producers.h"

#include <algorithm>
#include <map>
#include <set>

#include "warpledger/base/check.h"

namespace warpledger::sass {
namespace {

/// Writers whose result may stand in each register.
using Reaching = std::map<Register, std::set<uint32_t>>;

/// Instructions [first, end) that run one after another.
struct Straight {
  uint32_t first = 0, end = 0;
};

class Analysis {
 public:
  Analysis(const std::vector<RegisterUse>& uses, const CodeFlow& flow) : uses_(uses), flow_(flow) {
    cut();
    settle();
  }

  std::vector<std::vector<Dependency>> found() {
    std::vector<std::vector<Dependency>> all(uses_.size());
    for (uint32_t p = 0; p < parts_.size(); ++p) {
      Reaching reaching = entered(p);
      for (uint32_t i = parts_[p].first; i < parts_[p].end; ++i) {
        for (const Register& one : uses_[i].reads)
          for (const uint32_t writer : reaching[one]) all[i].push_back({writer, one});
        std::sort(all[i].begin(), all[i].end());
        pass(i, reaching);
      }
    }
    return all;
  }

 private:
  void cut() {
    for (uint32_t i = 0; i < uses_.size(); ++i) {
      const bool follows =
          i > 0 && flow_.before[i] == std::vector<uint32_t>{i - 1} && flow_.next[i - 1].size() == 1;
      if (!follows) parts_.push_back({i, i});
      parts_.back().end = i + 1;
      part_of_.push_back(static_cast<uint32_t>(parts_.size()) - 1);
    }
  }
  void pass(uint32_t i, Reaching& reaching) const {
    for (const Register& one : uses_[i].writes) {
      std::set<uint32_t>& writers = reaching[one];
      if (!uses_[i].is_guarded) writers.clear();
      writers.insert(i);
    }
  }
  [[nodiscard]] Reaching entered(uint32_t part) const {
    Reaching all;
    for (const uint32_t from : flow_.before[parts_[part].first])
      for (const auto& [which, writers] : left_[part_of_[from]])
        all[which].insert(writers.begin(), writers.end());
    return all;
  }
  void settle() {
    left_.resize(parts_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t p = 0; p < parts_.size(); ++p) {
        Reaching reaching = entered(p);
        for (uint32_t i = parts_[p].first; i < parts_[p].end; ++i) pass(i, reaching);
        if (reaching == left_[p]) continue;
        left_[p] = std::move(reaching);
        changed = true;
      }
    }
  }

  const std::vector<RegisterUse>& uses_;
  const CodeFlow& flow_;
  std::vector<Straight> parts_;
  std::vector<uint32_t> part_of_;
  std::vector<Reaching> left_;  // by part: what reaches its end
};

}  // namespace

std::vector<std::vector<Dependency>> dependencies(const std::vector<RegisterUse>& uses,
                                                  const CodeFlow& flow) {
  WL_CHECK(uses.size() == flow.next.size());
  return Analysis(uses, flow).found();
}

}  // namespace warpledger::sass
