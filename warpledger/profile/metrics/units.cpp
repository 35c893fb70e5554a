#include "warpledger/profile/metrics/units.h"

#include <algorithm>

namespace warpledger::profile {
namespace {

struct Unit {
  const char* name;
  const char* counter;
  bool is_plural = false;
};
// Only the first of those that count the same thing.
constexpr Unit kUnits[] = {
    {"load/store unit (LSU) of the L1", "l1tex__lsuin_requests"},
    {"L1 tag stage", "l1tex__t_output_wavefronts"},
    {"L1 data stage", "l1tex__data_pipe_lsu_wavefronts"},
    {"L1 write-back to registers", "l1tex__lsu_writeback_active"},
    {"texture unit", "sm__texture_unit_cycles"},
    {"path L1 to L2", "l1tex__m_l1tex2xbar_req_cycles_active"},
    {"path L2 to L1", "l1tex__m_xbar2l1tex_read_sectors"},
    {"L2 tags", "lts__t_sectors", true},
    {"L2 output", "lts__lts2xbar_cycles_active"},
    {"L2 input", "lts__xbar2lts_cycles_active"},
    {"L2 atomics", "lts__d_atomic_input_cycles_active", true},
    {"atomics at one address in the L2", "lts__hottest_atomic_cycles", true},
    {"DRAM", "dram__cycles_active"},
    {"path L2 to DRAM", "fbpa__dram_sectors"},
    {"DRAM row activations", "dram__row_cycles", true},
    {"integer and logic pipe (ALU)", "sm__pipe_alu_cycles_active"},
    {"FP32 and integer multiply pipe (FMA)", "sm__pipe_fma_cycles_active"},
    {"integer multiply half of the FMA pipe", "sm__pipe_integer_multiply_cycles"},
    {"special function and conversion pipe (XU)", "sm__pipe_xu_cycles"},
    {"FP64 pipe", "sm__pipe_fp64_cycles_active"},
    {"tensor cores", "sm__pipe_tensor_cycles_active", true},
    {"tensor cores (asynchronous)", "sm__pipe_tensor_async_cycles", true},
    {"shared memory for tensor cores and copies", "smem__async_wavefronts"},
    {"tensor memory, read by threads", "tmem__thread_read_bytes"},
    {"tensor memory, written by threads", "tmem__thread_write_bytes"},
    {"tensor memory, read by tensor cores", "tmem__tensor_read_bytes"},
    {"tensor memory, written by tensor cores", "tmem__tensor_write_bytes"},
    {"uniform pipe", "sm__pipe_uniform_cycles"},
    {"barriers", "sm__pipe_barrier_cycles", true},
    {"instruction issue", "sm__ptx_instructions"},
};

/// The same bytes pass DRAM's bus and its interface to the L2: the quicker one is nobody's limit.
void drop_quicker_way_to_dram(std::vector<UnitLoad>& loads) {
  const auto moves = [](const UnitLoad& load) { return is_dram(load) && !opens_rows(load); };
  const auto slower = std::find_if(loads.begin(), loads.end(), moves);
  if (slower != loads.end())
    loads.erase(std::remove_if(slower + 1, loads.end(), moves), loads.end());
}

}  // namespace

bool is_dram(const UnitLoad& load) {
  const Domain domain = find_counter(load.counter)->domain;
  return domain == Domain::kDram || domain == Domain::kFbpa;
}

bool opens_rows(const UnitLoad& load) { return load.counter == "dram__row_cycles"; }

std::vector<UnitLoad> unit_loads(const Evidence& evidence) {
  std::vector<UnitLoad> loads;
  for (const Unit& unit : kUnits) {
    const Counter* counter = find_counter(unit.counter);
    WL_CHECK(counter != nullptr);
    const auto cycles = least_cycles(*counter, evidence);
    if (cycles.value_or(0) > 0) loads.push_back({unit.name, unit.counter, *cycles, unit.is_plural});
  }
  std::stable_sort(loads.begin(), loads.end(),
                   [](const UnitLoad& a, const UnitLoad& b) { return a.cycles > b.cycles; });
  drop_quicker_way_to_dram(loads);
  return loads;
}

double least_cycles(const Evidence& evidence) {
  const std::vector<UnitLoad> loads = unit_loads(evidence);
  return loads.empty() ? 0 : loads.front().cycles;
}

}  // namespace warpledger::profile
