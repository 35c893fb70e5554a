#include "warpledger/profile/metrics/rules.h"

#include <fnmatch.h>

namespace warpledger::profile {
namespace {

constexpr Rule kRules[] = {
    {.section = "launch-and-occupancy",
     .text = "from the launch, ptxas's registers and the GPU's allocation units (`gpu/launch.h`)",
     .source = "NVIDIA's allocation rules",
     .patterns = "launch__* sm__maximum_warps_* smsp__maximum_warps_* smsp__warps_launched.* "
                 "smsp__threads_launched.*"},
    {.section = "time",
     .text = "the busiest unit of ncu's own breakdown list, over elapsed or active cycles",
     .source = "PerfWorks' lists",
     .patterns = "*_throughput.* *__throughput.*"},
    {.section = "time",
     .text = "resident warp cycles divided by active cycles",
     .source = "58 reports",
     .patterns = "*__warps_active.* smsp__warps_eligible.*"},
    {.section = "time",
     .text = "cycles divided by the clock to which ncu locks the GPU",
     .source = "reports, otherwise the base clock",
     .patterns = "gpu__time_duration.* *__cycles_elapsed.avg.per_second"},
    {.section = "time",
     .text = "blocks are the customers of a closed queueing network: they wait, and the busiest "
             "units serve them ([profile.md](profile.md#time), [decision "
             "004](decisions/004-time-from-machine-code.md))",
     .source = "closed queueing networks (Lazowska et al. 1984) with five fitted constants",
     .patterns =
         "*__cycles_elapsed.* sm__cycles_active.* l1tex__cycles_active.* smsp__cycles_active.*"},
    {.section = "time",
     .text = "a slice is busy while it holds a request: 25 cycles per sector, random arrivals "
             "while SMs are active",
     .source = "the latency of an L2 hit without the path to the L2; published shares above a "
               "tenth of the peak are near 1",
     .patterns = "lts__cycles_active.*"},
    {.section = "textures-and-surfaces",
     .text = "executed by a warp with at least one active lane",
     .source = "the code",
     .patterns = "smsp__inst_executed_op_texture.* smsp__inst_executed_op_surface_*"},
    {.section = "textures-and-surfaces",
     .text = "one per instruction, plus one for each additional texture handle among its lanes",
     .source = "Nsight Compute's profiling guide: texture traffic may need more",
     .patterns = "l1tex__t_requests_pipe_tex_*"},
    {.section = "textures-and-surfaces",
     .text = "the L1's rules for loads, stores and reductions",
     .source = "the same as for loads",
     .patterns = "l1tex__t_*pipe_tex_*_lookup_* l1tex__t_sector_pipe_tex_*"},
    {.section = "textures-and-surfaces",
     .text = "the distinct 32 B sectors of all texels with a filter weight; lanes outside the "
             "border have none",
     .source = "the same as for loads",
     .patterns = "l1tex__t_sectors_pipe_tex_* l1tex__t_bytes_pipe_tex_*"},
    {.section = "textures-and-surfaces",
     .text = "4 lanes per clock and SM: 8 cycles per request",
     .source = "NVIDIA's architecture whitepapers: four texture units per SM",
     .patterns = "sm__texture_unit_cycles.*"},
    {.section = "requests-from-addresses-alone",
     .text = "one per warp instruction with at least one active lane",
     .source = "ncu's guide",
     .patterns =
         "l1tex__t_requests* smsp__sass_inst_executed_op_* smsp__inst_executed_op_global_* "
         "smsp__inst_executed_op_local_* smsp__inst_executed_op_shared_* "
         "smsp__inst_executed_op_ldsm.* smsp__inst_executed_op_ldgsts.* sass__inst_executed_*"},
    {.section = "requests-from-addresses-alone",
     .text = "min(touched, active lanes x width / 32 B)",
     .source = "reports",
     .patterns =
         "memory_l2_theoretical_sectors_global_ideal derived__memory_l2_theoretical_sectors_*"},
    {.section = "requests-from-addresses-alone",
     .text = "the distinct 128 B lines",
     .source = "ncu's guide",
     .patterns = "memory_l1_tag_requests_*"},
    {.section = "requests-from-addresses-alone",
     .text = "bytes of a word that several lanes access count once",
     .source = "GTX 1660 SUPER sgemm",
     .patterns = "smsp__sass_average_data_bytes_per_sector_*"},
    {.section = "the-l1",
     .text = "the unified size minus the carve-out; 4 tag banks; sets of at most 16 lines, with an "
             "index that spreads lines evenly; the oldest line is evicted; a sector whose fill is "
             "pending is a hit; a store allocates its tag, fetches nothing, hits if the tag is "
             "present, and makes the sectors that it covers readable; `.cg` and volatile loads "
             "bypass the L1",
     .source =
         "RRZE latency curves; on twelve reports LRU and coarse aging agree within 0.3 %, random "
         "replacement is off by 10 to 15 %",
     .patterns = "l1tex__t_*_lookup_* l1tex__t_*hit_rate*"},
    {.section = "requests-from-addresses-alone",
     .text = "the distinct 32 B blocks of the active lanes (`coalescer.h`)",
     .source = "ncu's guide",
     .patterns = "l1tex__t_sectors* l1tex__t_bytes* l1tex__average_t_sectors_* "
                 "memory_l2_theoretical_sectors_*"},
    {.section = "the-l1",
     .text = "each memory instruction (even with all lanes predicated off), each shuffle and each "
             "read of `threadIdx`",
     .source = "peaks of raw reports; `smsp__inst_executed_pipe_lsu`",
     .patterns = "l1tex__lsuin_requests.* *__inst_executed_pipe_lsu.* sm__mio_inst_issued.*"},
    {.section = "the-l1",
     .text = "one pass looks up 4 tags, one per bank; bank = the line number folded to 2 bits with "
             "XOR; passes = lines in the fullest bank",
     .source = "fitted to RRZE gpu-strides (A100, A40); V100 `pack_halo` 12,389 against 12,390",
     .patterns = "l1tex__t_output_wavefronts*"},
    {.section = "the-l1",
     .text = "32 banks of 4 B; wavefronts = distinct words in the busiest bank, summed over "
             "phases; a phase is the whole warp (up to 32 bits per lane), a half-warp (64 bits) or "
             "a quarter-warp (128 bits); cp.async: the wavefronts of its shared side, plus one per "
             "tag pass if it goes through the L1",
     .source = "RRZE gpu-strides: all 292 data points match; cp.async: L4, RTX 3090 and RTX PRO "
               "6000 within 3 %",
     .patterns =
         "l1tex__data_pipe_lsu_wavefronts.* l1tex__data_bank_reads.* l1tex__data_bank_writes.*"},
    {.section = "the-l1",
     .text = "128 B of registers per cycle: 1, 2, 4 cycles for 32-, 64-, 128-bit loads; shared "
             "loads take one cycle per phase, shuffles and reads of `threadIdx` one",
     .source = "reports of T4 to GH200; RTX 3080 matrix products 1.00 of the report",
     .patterns = "l1tex__lsu_writeback_active.*"},
    {.section = "the-l1",
     .text = "one cycle per read request and per sector written, and one more if a write covers a "
             "sector only in part",
     .source = "durations, decision 004",
     .patterns = "l1tex__m_l1tex2xbar_*"},
    {.section = "the-l1",
     .text = "sectors that missed",
     .source = "peaks of raw reports",
     .patterns = "l1tex__m_xbar2l1tex_*"},
    {.section = "shared-memory",
     .text = "wavefronts beyond the number of phases",
     .source = "RRZE gpu-strides; reports",
     .patterns = "*data_bank_conflicts*"},
    {.section = "shared-memory",
     .text = "the above, plus one for each shuffle, each read of `threadIdx` and each access with "
             "all lanes predicated off",
     .source = "RTX 4090 copy kernel: 524,288 warps report 1,048,576 wavefronts (2 per warp) "
               "without shared memory",
     .patterns = "l1tex__data_pipe_lsu_wavefronts_mem_shared.*"},
    {.section = "shared-memory",
     .text = "the data stage's rule; phases whose lanes repeat in pairs are merged; ldmatrix, "
             "stmatrix: 8 rows per phase; cp.async: one per 128 B line that it reads, or more if "
             "the banks need more",
     .source = "RRZE gpu-strides; reports; cp.async: L4, H100 SXM, RTX PRO 6000",
     .patterns = "memory_l1_wavefronts_shared* derived__memory_l1_wavefronts_* "
                 "*data_pipe_lsu_wavefronts_mem_shared_op_*"},
    {.section = "the-l2-and-its-fabric",
     .text = "a lookup in the near partition, then one over the fabric in the line's home "
             "partition; both keep the data; ncu counts both lookups and, on GA100, also the near "
             "fill, half of the write-backs, and a far hit a second time under the SM",
     .source = "A100, H100, GH200 reports",
     .patterns = "lts__*ltcfabric*"},
    {.section = "the-l2-and-its-fabric",
     .text = "the first partial write of an absent sector misses and fetches it alone",
     .source = "T4: 125,000 modeled write misses; four reports show 124,023 to 125,008",
     .patterns = "lts__t_sectors_data_ecc.*"},
    {.section = "the-l2-and-its-fabric",
     .text = "16 ways, sets used evenly; the oldest line is evicted; a read miss fetches "
             "`dram.fetch_bytes`, and a sector that is fetched along with another counts as a miss "
             "at once and as a hit when it is read; writes hit; atomics are performed here",
     .source = "pointer chases drop sharply at capacity; [decision "
               "003](decisions/003-l2-misses-and-partial-writes.md)",
     .patterns = "lts__t_*_lookup_* lts__t_*hit_rate*"},
    {.section = "the-l2-and-its-fabric",
     .text = "every lookup, including those over the fabric",
     .source = "peaks of raw reports",
     .patterns = "lts__t_sectors.* lts__t_requests.* lts__t_tag_requests.*"},
    {.section = "the-l2-and-its-fabric",
     .text = "sectors that miss in the L1s, and sectors that they write",
     .source = "the L1, above",
     .patterns = "lts__t_*"},
    {.section = "the-l2-and-its-fabric",
     .text = "sectors read",
     .source = "peaks of raw reports",
     .patterns = "lts__lts2xbar_*"},
    {.section = "the-l2-and-its-fabric",
     .text = "one cycle per read request and per sector written, and one more for partial writes",
     .source = "peaks of raw reports",
     .patterns = "lts__xbar2lts_*"},
    {.section = "the-l2-and-its-fabric",
     .text = "sectors of SMs and of DRAM; sectors from DRAM",
     .source = "peaks of raw reports; closes to 0.3 % on V100, RTX 4090, RTX 3080, A100",
     .patterns = "lts__d_sectors*"},
    {.section = "the-l2-and-its-fabric",
     .text = "one cycle per sector",
     .source = "peaks of raw reports",
     .patterns = "lts__d_atomic_*"},
    {.section = "the-l2-and-its-fabric",
     .text = "serialized: 3 cycles per float addition, otherwise 1",
     .source = "durations of RTX 3080 and GTX 1660 SUPER",
     .patterns = "lts__hottest_atomic_*"},
    {.section = "dram",
     .text = "dirty data is written when it is evicted, or oldest first while more than "
             "`l2.dirty_left_fraction` of the cache is dirty, but not while a sector waits for the "
             "rest of its bytes; what is dirty at the end stays in the L2",
     .source = "fitted, one fraction per GPU",
     .patterns = "dram__bytes_write.* dram__sectors_write.*"},
    {.section = "dram",
     .text = "bytes / (2 x bus width)",
     .source = "PerfWorks: derived from sectors",
     .patterns = "dram__cycles_active.*"},
    {.section = "dram",
     .text = "an access to a closed row activates it; a channel starts at most one activation "
             "every 3.4 "
             "to 5 ns, depending on the memory type; addresses are interleaved over the channels "
             "(16 bits of "
             "the bus on GDDR6 and LPDDR5, 64 on HBM2, 32 on HBM3) in pieces of 256 B, and each "
             "channel "
             "keeps its 16 most recently used rows open; GDDR7 is not modeled",
     .source = "JEDEC standards; Accel-Sim's configurations; four L4 reports",
     .patterns = "dram__row_cycles.*"},
    {.section = "dram",
     .text = "DRAM sectors; each DRAM unit transfers two per L2 clock (Volta: one)",
     .source = "percentages in reports of 13 GPUs",
     .patterns = "fbpa__dram_sectors.*"},
    {.section = "dram",
     .text = "what the L2 fetches: 32 or 64 B at a time, depending on the GPU",
     .source = "reports from that GPU",
     .patterns = "dram__bytes* dram__sectors*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "FP16 multiply-adds divided by the GPU's rate",
     .source = "NVIDIA's whitepapers",
     .patterns = "sm__pipe_tensor_cycles_active.*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "a step on D of m x n counts as 16 m n FP16 multiply-adds",
     .source = "the shapes; published rates ([hopper-blackwell.md](hopper-blackwell.md))",
     .patterns = "sm__pipe_tensor_async_cycles.*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "passes of 128 B; 8 rows of 16 B per pass",
     .source = "PTX ISA, core matrices",
     .patterns = "smem__async_wavefronts.*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "bytes divided by 256 (threads, assumed), 8,192 and 4,096 (tensor cores) per clock",
     .source = "arXiv 2512.02189, disputed in part",
     .patterns = "tmem__*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "each instruction occupies its pipe for 32 / (lanes of the pipe) cycles; where FP32 "
             "has 128 lanes, integer multiplies use 64 of them, and wide ones use these twice",
     .source = "NVIDIA's throughput table; pipe utilization in 51 reports: ALU within 1 % in 50, "
               "XU in 19 of 19",
     .patterns = "sm__pipe_* sm__inst_executed_pipe_*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "one instruction per clock for each of 4 schedulers",
     .source = "NVIDIA's guide",
     .patterns = "smsp__issue_* sm__issue_active.* *__inst_issued.*"},
    {.section = "instructions-pipes-tensor-cores",
     .text = "executed PTX basic blocks, mapped to SASS basic blocks through ptxas's line table "
             "([sass-mapping.md](sass-mapping.md))",
     .source = "51 opcode tables",
     .patterns = "smsp__* sm__inst_executed.* sm__ptx_instructions.* inst_executed "
                 "derived__smsp__inst_executed_* derived__local_spilling_requests"},
};

bool matches(std::string_view patterns, const std::string& metric) {
  while (!patterns.empty()) {
    const size_t end = std::min(patterns.find(' '), patterns.size());
    const std::string pattern(patterns.substr(0, end));
    if (fnmatch(pattern.c_str(), metric.c_str(), 0) == 0) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(const std::string& metric) {
  for (const Rule& rule : kRules) {
    if (matches(rule.patterns, metric)) return &rule;
  }
  return nullptr;
}

std::string plain(std::string_view markdown) {
  std::string text;
  for (size_t i = 0; i < markdown.size(); ++i) {
    const char c = markdown[i];
    if (c == ']' && i + 1 < markdown.size() && markdown[i + 1] == '(') {
      i = std::min(markdown.find(')', i), markdown.size());  // where a link leads
    } else if (c != '`' && c != '[' && c != ']') {
      text += c;
    }
  }
  return text;
}

}  // namespace warpledger::profile
