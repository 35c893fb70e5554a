#include "warpledger/exec/run/deferred.h"

#include "warpledger/exec/memory/poison.h"

namespace warpledger::exec {

void Deferred::add(Image& image, const Launch& launch, const EngineOptions& options, uint32_t slots,
                   std::shared_ptr<ValueWatch> watch) {
  Entry entry{&image, launch, options, slots, std::move(watch)};
  entry.options.values = Values::kOn;
  entry.options.deferred = nullptr;
  entry.options.record = false;
  launches_.push_back(std::move(entry));
}

Status Deferred::compute() {
  std::vector<Entry> launches = std::exchange(launches_, {});
  for (size_t i = launches.size(); i-- > 0;) launches[i].watch->take_back();
  for (Entry& entry : launches) {
    trace::NoSink sink;
    WL_TRY(const LaunchOutcome outcome,
           run_launch(*entry.image, entry.launch, sink, entry.options, entry.slots));
    if (outcome.fault) return *outcome.fault;
  }
  return {};
}

}  // namespace warpledger::exec
