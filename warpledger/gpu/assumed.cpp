#include "warpledger/gpu/assumed.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/gpu/facts.h"

namespace warpledger {
namespace {

/// The Visit of facts.h that keeps assumed facts by their source, in the file's order.
struct AssumedFacts {
  struct Origin {
    std::string source;
    std::vector<std::string> facts;
  };
  std::vector<Origin> origins;
  FactCount count;

  template <class T>
  void operator()(const char* group, const char* key, const Sourced<T>& fact) {
    ++count.facts;
    if (fact.fidelity != Fidelity::kAssumed) return;
    ++count.assumed;
    auto origin = std::find_if(origins.begin(), origins.end(),
                               [&](const Origin& known) { return known.source == fact.source; });
    if (origin == origins.end()) origin = origins.insert(origin, {fact.source, {}});
    origin->facts.push_back(fmt::format("{}.{}", group, key));
  }
  template <class T>
  void operator()(const char* group, const char* key, const Fact<T>& fact) {
    if (fact) (*this)(group, key, *fact);
  }
};

}  // namespace

FactCount count_facts(const Gpu& gpu) {
  AssumedFacts assumed;
  each_device_fact(gpu, assumed);
  return assumed.count;
}

Table assumed_of(const std::vector<Gpu>& gpus) {
  Table table{.title = "Assumed numbers",
              .columns = {{"GPU", "id"}, {"Taken from", "source"}, {"Facts", "facts"}}};
  for (const Gpu& gpu : gpus) {
    AssumedFacts assumed;
    each_device_fact(gpu, assumed);
    for (const auto& [source, facts] : assumed.origins)
      table.rows.push_back({.cells = {gpu.id, source, fmt::format("{}", fmt::join(facts, " "))}});
  }
  return table;
}

}  // namespace warpledger
