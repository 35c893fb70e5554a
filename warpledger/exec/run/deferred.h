// Launches that ran without values, kept so that the values can be computed after all.
//
// An address-only launch leaves poison where its dropped stores would have written. When a later
// launch needs these values, memory is taken back to before the first of them and they are all run
// again, in order, with values: the result is that of having run with values from the start.
// Whoever reads or writes device memory from the host, or frees it, calls compute() before.
#pragma once

#include <memory>
#include <vector>

#include "warpledger/exec/run/engine.h"

namespace warpledger::exec {

class Deferred {
 public:
  /// The image must live until compute() or the end. `watch`: of the run without values.
  void add(Image& image, const Launch& launch, const EngineOptions& options, uint32_t slots,
           std::shared_ptr<ValueWatch> watch);
  /// Post: empty(), and no poison of these launches. A fault of a launch is an error.
  [[nodiscard]] Status compute();
  [[nodiscard]] bool empty() const { return launches_.empty(); }
  [[nodiscard]] size_t size() const { return launches_.size(); }

 private:
  struct Entry {
    Image* image = nullptr;
    Launch launch;
    EngineOptions options;
    uint32_t slots = 0;
    std::shared_ptr<ValueWatch> watch;
  };
  std::vector<Entry> launches_;
};

}  // namespace warpledger::exec
