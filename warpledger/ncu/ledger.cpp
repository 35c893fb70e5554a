// What a report counted, as rows.
#include <cmath>

#include "warpledger/ncu/report.h"

namespace warpledger::ncu {
namespace {

struct Traffic {
  const char* operation;
  Edge edge;
  const char* metric;
};

const std::vector<Traffic>& all_traffic() {
  static const std::vector<Traffic> all = {
      {"read", {Level::kDram, Level::kL2}, "dram__bytes_read.sum"},
      {"write-back", {Level::kL2, Level::kDram}, "dram__bytes_write.sum"},
      {"read", {Level::kL2, Level::kL1}, "l1tex__m_xbar2l1tex_read_bytes.sum"},
      {"write", {Level::kL1, Level::kL2}, "l1tex__m_l1tex2xbar_write_bytes.sum"}};
  return all;
}

}  // namespace

Ledger ledger_of(const Launch& launch) {
  Ledger ledger{.title = launch.kernel.empty() ? "an ncu report" : launch.kernel};
  ledger.provenance["source"] = "ncu";
  if (!launch.grid.empty()) {
    ledger.provenance["launch"] = "grid " + launch.grid + " block " + launch.block;
  }
  for (const Traffic& one : all_traffic()) {
    const Entry* entry = launch.find(one.metric);
    if (entry == nullptr || entry->unit != "byte" || std::abs(*entry->value) > 9e18) continue;
    Movement row{.operation = one.operation, .subject = "[all]", .edge = one.edge};
    row.bytes_per_iteration = Amount(static_cast<int64_t>(std::llround(*entry->value)));
    row.fidelity = Fidelity::kMeasured;
    ledger.rows.push_back(std::move(row));
  }
  return ledger;
}

}  // namespace warpledger::ncu
