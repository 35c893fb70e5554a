// ncu's details page: which metric stands in which section under which label, and the memory
// tables. Labels, order and units are those of ncu 2025; each value has its fidelity beside it.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/metrics/shown.h"

namespace warpledger::profile {

struct Entry {
  std::string label = {};
  std::string metric = {};
  bool is_part = false;  // of a breakdown: left out where it is not known
};

struct Section {
  std::string title = {};
  std::vector<Entry> entries = {};  // in the order of the metrics' names, as ncu sorts them
};

/// The sections, in ncu's order.
[[nodiscard]] const std::vector<Section>& sections();

/// A cell of a memory table: a metric, a quotient "a / b" of two, or nothing.
struct TableLine {
  std::string label = {};
  std::vector<std::string> metrics = {};  // one for each column; "" : ncu has none there
};
struct MemoryTable {
  std::string title = {};
  std::vector<std::string> columns = {};
  std::vector<TableLine> lines = {};
};
[[nodiscard]] const std::vector<MemoryTable>& memory_tables();

/// The value of a cell and its unit.
struct Answered {
  Value value;
  std::string unit = {};
};
[[nodiscard]] Answered answer(const std::string& metric, const Profile& profile);

/// The entries that a page shows of this profile.
[[nodiscard]] std::vector<Entry> shown_entries(const Section& section, const Profile& profile);

/// A section with ncu's columns and one for fidelity.
[[nodiscard]] Table table_of(const Section& section, const Profile& profile, Units units);
/// Lines whose values are all zero are left out, the totals excepted.
[[nodiscard]] Table table_of(const MemoryTable& table, const Profile& profile, Units units);

/// Every metric of the sections and tables, by name, each once.
[[nodiscard]] std::vector<std::string> standard_metrics();

}  // namespace warpledger::profile
