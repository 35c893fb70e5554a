// What ncu's source page adds up: counted from executed instructions and their addresses alone.
#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Site;
using trace::Space;

Term theoretical(Space space) {
  return sum_over(
      accesses(space), "theoretical sectors",
      [](const Site&, const SiteCounters& c) { return c.request.theoretical_sectors; },
      Fidelity::kExact);
}
Term ideal(Space space) {
  return sum_over(
      accesses(space), "ideal sectors",
      [](const Site&, const SiteCounters& c) { return c.request.ideal_sectors; }, Fidelity::kExact);
}
Term tags(Space space) {
  return sum_over(
      accesses(space), "128 B lines",
      [](const Site&, const SiteCounters& c) { return c.request.tags; }, Fidelity::kExact);
}

}  // namespace

void add_source_metrics(Catalog& catalog) {
  const auto add = [&](const char* name, const char* unit, const Term& formula) {
    catalog.singles.push_back({name, unit, formula});
  };
  add("memory_l1_tag_requests_global", "", tags(Space::kGlobal));
  add("memory_l2_theoretical_sectors_global", "sector", theoretical(Space::kGlobal));
  add("memory_l2_theoretical_sectors_global_ideal", "sector", ideal(Space::kGlobal));
  add("derived__memory_l2_theoretical_sectors_global_excessive", "sector",
      theoretical(Space::kGlobal) - ideal(Space::kGlobal));
  add("memory_l2_theoretical_sectors_local", "sector", theoretical(Space::kLocal));
  const Term passes = wavefronts_of(accesses(Space::kShared));
  const Term least = ideal_wavefronts_of(accesses(Space::kShared));
  add("memory_l1_wavefronts_shared", "", passes);
  add("memory_l1_wavefronts_shared_ideal", "", least);
  add("derived__memory_l1_wavefronts_shared_excessive", "", passes - least);
  const auto add_instructions = [&](const char* name, Space space, Operation operation) {
    add(name, "inst", requests_of(accesses(space, operation)));
  };
  add_instructions("sass__inst_executed_global_loads", Space::kGlobal, Operation::kLoad);
  add_instructions("sass__inst_executed_global_stores", Space::kGlobal, Operation::kStore);
  add_instructions("sass__inst_executed_local_loads", Space::kLocal, Operation::kLoad);
  add_instructions("sass__inst_executed_local_stores", Space::kLocal, Operation::kStore);
  add_instructions("sass__inst_executed_shared_loads", Space::kShared, Operation::kLoad);
  add_instructions("sass__inst_executed_shared_stores", Space::kShared, Operation::kStore);
}

}  // namespace warpledger::profile
