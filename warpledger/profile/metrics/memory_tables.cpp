// The contents of the memory tables, as ncu's «Memory Workload Analysis Tables» arranges them.
#include <fmt/core.h>

#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

constexpr const char* kElapsed = ".avg.pct_of_peak_sustained_elapsed";

TableLine shared_line(const std::string& label, const std::string& op) {
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op;
  return {label,
          {op == "ldgsts" ? "smsp__inst_executed_op_ldgsts.sum"
                          : "smsp__inst_executed_op_shared_" + op + ".sum",
           wavefronts + ".sum", wavefronts + kElapsed,
           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum"}};
}

MemoryTable shared_memory() {
  return {"Shared Memory",
          {"Instructions", "Wavefronts", "% Peak", "Bank Conflicts"},
          {shared_line("Shared Load", "ld"),
           {"Shared Load Matrix",
            {"smsp__inst_executed_op_ldsm.sum",
             "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", "", ""}},
           shared_line("Shared Store", "st"),
           shared_line("Shared Atomic", "atom"),
           shared_line("Load Global Store Shared", "ldgsts"),
           {"Total",
            {"", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
             std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared") + kElapsed,
             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}}}};
}

TableLine l1_line(const std::string& label, const std::string& space, const std::string& op) {
  const std::string where = fmt::format("pipe_lsu_mem_{}_op_{}", space, op);
  return {label,
          {fmt::format("smsp__sass_inst_executed_op_{}_{}.sum", space, op),
           "l1tex__t_requests_" + where + ".sum", "l1tex__t_output_wavefronts_" + where + ".sum",
           "l1tex__t_sectors_" + where + ".sum",
           "l1tex__average_t_sectors_per_request_" + where + ".ratio",
           "l1tex__t_sector_" + where + "_hit_rate.pct", "l1tex__t_bytes_" + where + ".sum",
           "l1tex__t_sectors_" + where + "_lookup_miss.sum"}};
}

TableLine texel_line(const std::string& label, const std::string& op, const std::string& where) {
  const std::string sectors = "l1tex__t_sectors_pipe_tex_mem_" + where;
  const std::string requests = "l1tex__t_requests_pipe_tex_mem_" + where + ".sum";
  return {
      label,
      {"smsp__inst_executed_op_" + op + ".sum", requests, "", sectors + ".sum",
       sectors + ".sum / " + requests, "l1tex__t_sector_pipe_tex_mem_" + where + "_hit_rate.pct",
       "l1tex__t_bytes_pipe_tex_mem_" + where + ".sum", sectors + "_lookup_miss.sum"}};
}

MemoryTable l1() {
  return {"L1/TEX Cache",
          {"Instructions", "Requests", "Wavefronts", "Sectors", "Sectors/Req", "Hit Rate", "Bytes",
           "Sector Misses"},
          {l1_line("Global Load", "global", "ld"),
           l1_line("Global Load To Shared Store", "global", "ldgsts"),
           l1_line("Local Load", "local", "ld"),
           texel_line("Surface Load", "surface_ld", "surface_op_ld"),
           texel_line("Texture", "texture", "texture"),
           l1_line("Global Store", "global", "st"),
           l1_line("Local Store", "local", "st"),
           texel_line("Surface Store", "surface_st", "surface_op_st"),
           l1_line("Global Reduction", "global", "red"),
           texel_line("Surface Reduction", "surface_red", "surface_op_red"),
           l1_line("Global Atomic", "global", "atom"),
           {"Total",
            {"", "l1tex__t_requests.sum", "", "l1tex__t_sectors.sum",
             "l1tex__t_sectors.sum / l1tex__t_requests.sum", "l1tex__t_sector_hit_rate.pct", "",
             "l1tex__t_sectors_lookup_miss.sum"}}}};
}

TableLine l2_line(const std::string& label, const std::string& op) {
  const std::string sectors = "lts__t_sectors_srcunit_tex_op_" + op;
  const std::string requests = "lts__t_requests_srcunit_tex_op_" + op + ".sum";
  return {label,
          {requests, sectors + ".sum", sectors + ".sum / " + requests, sectors + kElapsed,
           "lts__t_sector_op_" + op + "_hit_rate.pct", "lts__t_bytes_srcunit_tex_op_" + op + ".sum",
           sectors + ".sum.per_second",
           "lts__t_sectors_srcunit_tex_aperture_device_op_" + op + "_lookup_miss.sum"}};
}

MemoryTable l2() {
  const std::string tex = "lts__t_sectors_srcunit_tex", all = "lts__t_sectors";
  return {
      "L2 Cache",
      {"Requests", "Sectors", "Sectors/Req", "% Peak", "Hit Rate", "Bytes", "Throughput",
       "Sector Misses to Device"},
      {l2_line("L1/TEX Load", "read"),
       l2_line("L1/TEX Store", "write"),
       l2_line("L1/TEX Reduction", "red"),
       l2_line("L1/TEX Atomic ALU", "atom_dot_alu"),
       l2_line("L1/TEX Atomic CAS", "atom_dot_cas"),
       {"L1/TEX Total",
        {"lts__t_requests_srcunit_tex.sum", tex + ".sum",
         tex + ".sum / lts__t_requests_srcunit_tex.sum", tex + kElapsed, "", "",
         tex + ".sum.per_second", tex + "_aperture_device_lookup_miss.sum"}},
       {"ECC Total",
        {"", "lts__t_sectors_data_ecc.sum", "", std::string("lts__t_sectors_data_ecc") + kElapsed,
         "", "", "lts__t_sectors_data_ecc.sum.per_second", ""}},
       {"L2 Fabric Total",
        {"", "lts__t_sectors_srcunit_ltcfabric.sum", "",
         std::string("lts__t_sectors_srcunit_ltcfabric") + kElapsed, "", "", "", ""}},
       {"GPU Total",
        {"lts__t_requests.sum", all + ".sum", all + ".sum / lts__t_requests.sum", all + kElapsed,
         "lts__t_sector_hit_rate.pct", "", all + ".sum.per_second", ""}}}};
}

MemoryTable device() {
  return {
      "Device Memory",
      {"Sectors", "% Peak", "Bytes", "Throughput"},
      {{"Load",
        {"dram__sectors_read.sum", "", "dram__bytes_read.sum", "dram__bytes_read.sum.per_second"}},
       {"Store",
        {"dram__sectors_write.sum", "", "dram__bytes_write.sum",
         "dram__bytes_write.sum.per_second"}},
       {"Total",
        {"dram__sectors.sum", std::string("dram__cycles_active") + kElapsed, "dram__bytes.sum",
         "dram__bytes.sum.per_second"}}}};
}

}  // namespace

const std::vector<MemoryTable>& memory_tables() {
  static const std::vector<MemoryTable> all = {shared_memory(), l1(), l2(), device()};
  return all;
}

}  // namespace warpledger::profile
