// The shared-memory table.
#include <fmt/core.h>

#include "warpledger/profile/metrics/inputs.h"
#include "warpledger/profile/metrics/metric.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using trace::Kind;
using trace::Site;
using trace::Space;

struct TableRow {
  const char* name;
  Operation does;
};
constexpr TableRow kRows[] = {{"ld", Operation::kLoad},
                              {"st", Operation::kStore},
                              {"atom", Operation::kAtomic},
                              {"ldgsts", Operation::kCopy}};

/// The hardware counts what it issues, also with all lanes off (RTX 4090 reduction: equal).
Value issued(const Evidence& e, Operation operation) {
  const uint64_t requests = sum_of(e, Space::kShared, operation).request.requests;
  if (!e.profile.machine || operation == Operation::kAtomic) return exact(requests);
  const auto& opcodes = e.profile.machine->opcodes;
  uint64_t executed = 0;
  for (const char* opcode : {operation == Operation::kLoad ? "LDS" : "STS",
                             operation == Operation::kLoad ? "LDSM" : "STSM"}) {
    const auto found = opcodes.find(opcode);
    if (found != opcodes.end()) executed += found->second;
  }
  return {.raw = static_cast<int64_t>(executed), .fidelity = e.profile.machine->fidelity};
}

void add_row(Catalog& catalog, const TableRow& row) {
  const auto add = [&](const std::string& base, const char* unit, const Term& sum) {
    catalog.counters.push_back(
        {.base = base, .unit = unit, .sum = sum, .peak = [](const Gpu&) { return 1.0; }});
  };
  const Selection which = accesses(Space::kShared, row.does);
  const Term wavefronts = wavefronts_of(which);
  const Term conflicts = wavefronts - ideal_wavefronts_of(which);
  if (row.does != Operation::kCopy) {
    catalog.counters.push_back(
        {.base = fmt::format("smsp__inst_executed_op_shared_{}", row.name),
         .unit = "inst",
         .sum = computed(fmt::format("machine instructions of {}, those with all lanes off "
                                     "included; requests where there is no machine code",
                                     which.words),
                         [row](const Evidence& e) { return issued(e, row.does); })});
    add(fmt::format("smsp__sass_inst_executed_op_shared_{}", row.name), "inst", requests_of(which));
  }
  add(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}", row.name), "", wavefronts);
  add(fmt::format("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}", row.name), "",
      wavefronts);
  add(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}", row.name), "", conflicts);
  add(fmt::format("smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_{}", row.name), "",
      conflicts);
}

Selection matrix_loads() {
  return {"ldmatrix", [](const Site& site) { return site.kind == Kind::kLoadMatrix; }};
}

Term instructions_of(const Selection& which) {
  return sum_over(
      which, "instructions",
      [](const Site&, const SiteCounters& c) { return c.request.instructions; }, Fidelity::kExact);
}

}  // namespace

void add_shared_metrics(Catalog& catalog) {
  for (const TableRow& row : kRows) add_row(catalog, row);
  const auto add = [&](const char* base, const char* unit, const Term& sum) {
    catalog.counters.push_back(
        {.base = base, .unit = unit, .sum = sum, .peak = [](const Gpu&) { return 1.0; }});
  };
  const Term matrix_wavefronts = wavefronts_of(matrix_loads());
  add("smsp__inst_executed_op_ldsm", "inst", requests_of(matrix_loads()));
  add("sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm", "", matrix_wavefronts);
  for (const char* base : {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm",
                           "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm"}) {
    add(base, "", matrix_wavefronts - ideal_wavefronts_of(matrix_loads()));
  }
  add("smsp__inst_executed_op_ldgsts", "inst",
      requests_of(accesses(Space::kGlobal, Operation::kCopy)));
  // Shuffles, reads of threadIdx and shared accesses with all lanes off pass here too.
  const Selection shared = accesses(Space::kShared);
  const Term all = wavefronts_of(shared);
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared", "",
      all + Term::excess(instructions_of(shared), requests_of(shared)) +
          lsu("shuffles and reads of threadIdx", &LsuWork::other));
  add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared", "", all - ideal_wavefronts_of(shared));
}

}  // namespace warpledger::profile
