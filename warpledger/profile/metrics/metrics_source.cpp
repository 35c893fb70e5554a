// What ncu's source page adds up: counted from executed instructions and their addresses alone.
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Site;
using trace::Space;

SiteCounters in(const Evidence& evidence, Space space) {
  return sum_where(evidence, [space](const Site& site) {
    return site.space == space && operation_of(site).has_value();
  });
}

template <class Pick>
void add(Catalogue& catalogue, const char* name, const char* unit, Space space, Pick pick) {
  catalogue.singles.push_back(
      {name, unit, [space, pick](const Evidence& e) { return exact(pick(in(e, space).request)); }});
}

void add_instructions(Catalogue& catalogue, const char* name, Space space, Operation operation) {
  catalogue.singles.push_back({name, "inst", [=](const Evidence& e) {
                                 return exact(sum_of(e, space, operation).request.requests);
                               }});
}

}  // namespace

void add_source_metrics(Catalogue& catalogue) {
  using Request = memory::RequestCounters;
  add(catalogue, "memory_l1_tag_requests_global", "", Space::kGlobal,
      [](const Request& r) { return r.tags; });
  add(catalogue, "memory_l2_theoretical_sectors_global", "sector", Space::kGlobal,
      [](const Request& r) { return r.theoretical_sectors; });
  add(catalogue, "memory_l2_theoretical_sectors_global_ideal", "sector", Space::kGlobal,
      [](const Request& r) { return r.ideal_sectors; });
  add(catalogue, "derived__memory_l2_theoretical_sectors_global_excessive", "sector",
      Space::kGlobal, [](const Request& r) { return r.theoretical_sectors - r.ideal_sectors; });
  add(catalogue, "memory_l2_theoretical_sectors_local", "sector", Space::kLocal,
      [](const Request& r) { return r.theoretical_sectors; });
  add(catalogue, "memory_l1_wavefronts_shared", "", Space::kShared,
      [](const Request& r) { return r.data_wavefronts; });
  add(catalogue, "memory_l1_wavefronts_shared_ideal", "", Space::kShared,
      [](const Request& r) { return r.ideal_wavefronts; });
  add(catalogue, "derived__memory_l1_wavefronts_shared_excessive", "", Space::kShared,
      [](const Request& r) { return r.data_wavefronts - r.ideal_wavefronts; });
  add_instructions(catalogue, "sass__inst_executed_global_loads", Space::kGlobal, Operation::kLoad);
  add_instructions(catalogue, "sass__inst_executed_global_stores", Space::kGlobal,
                   Operation::kStore);
  add_instructions(catalogue, "sass__inst_executed_local_loads", Space::kLocal, Operation::kLoad);
  add_instructions(catalogue, "sass__inst_executed_local_stores", Space::kLocal, Operation::kStore);
  add_instructions(catalogue, "sass__inst_executed_shared_loads", Space::kShared, Operation::kLoad);
  add_instructions(catalogue, "sass__inst_executed_shared_stores", Space::kShared,
                   Operation::kStore);
}

}  // namespace warpledger::profile
