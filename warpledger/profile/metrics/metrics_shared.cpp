// The shared-memory table.
#include <fmt/format.h>

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

uint64_t conflicts(const SiteCounters& c) {
  return c.request.data_wavefronts - c.request.ideal_wavefronts;
}

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

void add_row(Catalogue& catalogue, const TableRow& row) {
  const auto add = [&](const std::string& base, const char* unit, auto pick) {
    catalogue.counters.push_back(
        {.base = base,
         .unit = unit,
         .sum = [row, pick](
                    const Evidence& e) { return exact(pick(sum_of(e, Space::kShared, row.does))); },
         .peak = [](const Gpu&) { return 1.0; }});
  };
  const auto requests = [](const SiteCounters& c) { return c.request.requests; };
  const auto wavefronts = [](const SiteCounters& c) { return c.request.data_wavefronts; };
  if (row.does != Operation::kCopy) {
    catalogue.counters.push_back({.base = fmt::format("smsp__inst_executed_op_shared_{}", row.name),
                                  .unit = "inst",
                                  .sum = [row](const Evidence& e) { return issued(e, row.does); }});
    add(fmt::format("smsp__sass_inst_executed_op_shared_{}", row.name), "inst", requests);
  }
  add(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}", row.name), "", wavefronts);
  add(fmt::format("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}", row.name), "",
      wavefronts);
  add(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}", row.name), "", conflicts);
  add(fmt::format("smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_{}", row.name), "",
      conflicts);
}

SiteCounters shared(const Evidence& evidence) {
  return sum_where(evidence, [](const Site& site) {
    return site.space == Space::kShared && operation_of(site).has_value();
  });
}

uint64_t matrix_loads(const Evidence& evidence, uint64_t memory::RequestCounters::*field) {
  return sum_where(evidence, [](const Site& site) { return site.kind == Kind::kLoadMatrix; })
             .request.*
         field;
}

}  // namespace

void add_shared_metrics(Catalogue& catalogue) {
  for (const TableRow& row : kRows) add_row(catalogue, row);
  const auto add = [&](const char* base, const char* unit, auto formula) {
    catalogue.counters.push_back(
        {.base = base, .unit = unit, .sum = formula, .peak = [](const Gpu&) { return 1.0; }});
  };
  add("smsp__inst_executed_op_ldsm", "inst",
      [](const Evidence& e) { return exact(matrix_loads(e, &memory::RequestCounters::requests)); });
  add("sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm", "", [](const Evidence& e) {
    return exact(matrix_loads(e, &memory::RequestCounters::data_wavefronts));
  });
  for (const char* base : {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm",
                           "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm"}) {
    add(base, "", [](const Evidence& e) {
      return exact(matrix_loads(e, &memory::RequestCounters::data_wavefronts) -
                   matrix_loads(e, &memory::RequestCounters::ideal_wavefronts));
    });
  }
  add("smsp__inst_executed_op_ldgsts", "inst", [](const Evidence& e) {
    return exact(sum_of(e, Space::kGlobal, Operation::kCopy).request.requests);
  });
  // Shuffles, reads of threadIdx and shared accesses with all lanes off pass here too.
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared", "", [](const Evidence& e) {
    const SiteCounters sum = shared(e);
    const uint64_t off = sum.request.instructions > sum.request.requests
                             ? sum.request.instructions - sum.request.requests
                             : 0;
    return modelled(sum.request.data_wavefronts + off + lsu_work(e).other);
  });
  add("l1tex__data_bank_conflicts_pipe_lsu_mem_shared", "",
      [](const Evidence& e) { return exact(conflicts(shared(e))); });
}

}  // namespace warpledger::profile
