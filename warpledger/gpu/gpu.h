// gpu/: GPUs as data, and what follows from that data and a launch alone: occupancy, ncu's launch
// and occupancy sections, sweeps, advice. This room knows hardware limits and NVIDIA's allocation
// rules; it must not know kernels, memory traffic or time.
//
// A GPU is one TOML file; those under gpus/ are compiled into the library, a user's own is read
// from its path. docs/gpus.md says how to write one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/base/table.h"
#include "warpledger/gpu/architecture.h"

namespace warpledger {

struct ClockFacts {
  Fact<int64_t> base_mhz, boost_mhz;
  Fact<int64_t> ncu_sm_mhz;   // what the SM runs at under ncu, which locks it to base by default
  Fact<double> ncu_l2_ratio;  // L2 clock over SM clock under ncu
};

struct DramFacts {
  Fact<std::string> type;
  Fact<int64_t> mhz, ncu_mhz, bus_bits, fetch_bytes;
  Fact<double> peak_gbs, read_efficiency, copy_efficiency;
  Fact<bool> inline_ecc;
};

struct L2Facts {
  Fact<int64_t> bytes, slices, partitions;
  Fact<int64_t> read_sectors_per_clk_slice, write_sectors_per_clk_slice, tag_sectors_per_clk_slice;
  Fact<std::string> fabric;          // between partitions: "none", "ga100", "gh100", "gb100"
  Fact<double> dirty_left_fraction;  // of the L2, still unwritten when a streaming kernel ends
};

/// In cycles of clock_mhz.
struct LatencyFacts {
  Fact<int64_t> smem_cycles, l1_cycles, l2_cycles, l2_far_cycles, dram_cycles, clock_mhz;
  Fact<int64_t> launch_overhead_cycles;
};

struct Gpu {
  std::string id;    // "rtx3090", as users type it
  std::string name;  // "GeForce RTX 3090"
  std::string chip;
  std::vector<std::string> aliases;
  Architecture architecture;
  Count sms;
  ClockFacts clocks;
  DramFacts dram;
  L2Facts l2;
  LatencyFacts latency;
};

/// A built-in GPU by id, alias or marketing name; case, '-', '_', spaces and the words "NVIDIA",
/// "GeForce", "Tesla" do not matter.
[[nodiscard]] Result<Gpu> find_gpu(std::string_view name);

/// The GPU described by the TOML file at `path`; its id is the file's stem.
[[nodiscard]] Result<Gpu> read_gpu(const std::string& path);

/// The same for a text; `name` stands in diagnostics.
[[nodiscard]] Result<Gpu> parse_gpu(const std::string& name, const std::string& text);

/// Whether load_gpu() reads a file: the text has a '/' or ends in .toml.
[[nodiscard]] bool is_gpu_path(const std::string& name_or_path);

/// A path is read, anything else is looked up.
[[nodiscard]] Result<Gpu> load_gpu(const std::string& name_or_path);

/// The built-in GPUs, ordered by architecture and then by id.
[[nodiscard]] std::vector<Gpu> all_gpus();

/// The built-in architectures, ordered by compute capability.
[[nodiscard]] std::vector<Architecture> all_architectures();

/// One line a GPU.
[[nodiscard]] Table list_of(const std::vector<Gpu>& gpus);

/// Every fact of the GPU and its architecture with fidelity and source.
[[nodiscard]] Table facts_of(const Gpu& gpu);

}  // namespace warpledger
