#include "examples/studies/attention_profiled.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "examples/studies/kernels.h"
#include "warpledger/base/number.h"
#include "warpledger/compare/traffic.h"

namespace warpledger::study {
namespace {

using match::bytes_of;
using profile::Profile;

constexpr int64_t kHead = 64;
constexpr int64_t kFlashRows = 128;  // query rows of a block of flash_attention.cu: Br

std::string matrix(const char* name, int64_t rows, int64_t columns) {
  return fmt::format("{}=f16[{}x{}]", name, rows, columns);
}

struct Attention {
  const char* module;
  std::vector<KernelCase> launches;
};

Attention naive_launches(int64_t n) {
  const auto tiles = static_cast<uint32_t>(n / 64);
  const std::vector<std::string> arguments = {
      matrix("Q", n, kHead), matrix("K", n, kHead), matrix("V", n, kHead),    matrix("S", n, n),
      matrix("P", n, n),     matrix("O", n, kHead), fmt::format("i32:{}", n), "f32:0.125"};
  const auto kernel = [&](const char* name, exec::Extent grid) {
    return KernelCase{.kernel = name, .grid = grid, .block = {128, 1, 1}, .arguments = arguments};
  };
  return {"naive_attention",
          {kernel("attention_scores", {tiles, tiles, 1}),
           kernel("attention_softmax", {static_cast<uint32_t>(n), 1, 1}),
           kernel("attention_values", {tiles, 1, 1})}};
}

Attention flash_launches(int64_t n) {
  return {"flash_attention",
          {{.kernel = "flash_attention",
            .grid = {static_cast<uint32_t>(n / kFlashRows), 1, 1},
            .block = {128, 1, 1},
            .arguments = {matrix("Q", n, kHead), matrix("K", n, kHead), matrix("V", n, kHead),
                          matrix("O", n, kHead), fmt::format("lse=f32[{}]", n),
                          fmt::format("i32:{}", n), "f32:0.125"}}}};
}

void add(const Profile& made, MovedBytes& sum) {
  const match::KernelTraffic traffic = match::traffic_of({made});
  sum.l2 += bytes_of(traffic.read.l2) + bytes_of(traffic.written.l2);
  sum.dram_read += bytes_of(traffic.read.dram);
  sum.dram_written += bytes_of(traffic.written.dram);
  sum.left_in_l2 = traffic.left_dirty;
}

int64_t scores_read(const Profile& made) {
  for (const match::ArrayTraffic& array : match::traffic_of({made}).arrays) {
    if (array.name == "S") return bytes_of(array.read.dram);
  }
  return 0;
}

Result<ProfiledAttention> profile_program(const Attention& program, const Gpu& gpu,
                                          const RunOptions& options) {
  ProfiledAttention sum{.gpu_id = gpu.id, .gpu = gpu.name};
  const KernelText text = study_kernel(program.module);
  const KernelCase* before = nullptr;
  for (const KernelCase& launch : program.launches) {
    WL_TRY(const Profile cold, profile_case(text, launch, gpu, options));
    add(cold, sum.cold);
    if (cold.timing) sum.seconds += cold.timing->seconds();
    if (before == nullptr) {
      add(cold, sum.in_sequence);
    } else {
      WL_TRY(const Profile warm, profile_case(text, launch, gpu, options, before));
      add(warm, sum.in_sequence);
      if (before == &program.launches.front()) sum.scores_from_dram = scores_read(warm);
    }
    before = &launch;
  }
  return sum;
}

std::string in_mib(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

double share(const ProfiledAttention& row) {
  return static_cast<double>(row.scores_from_dram) / static_cast<double>(row.scores_bytes);
}

/// Naive over flash in DRAM bytes, at the same N on the same GPU.
double dram_ratio(const std::vector<ProfiledAttention>& rows, const ProfiledAttention& naive) {
  for (const ProfiledAttention& row : rows) {
    if (row.gpu_id != naive.gpu_id || row.n != naive.n || row.program != "flash") continue;
    return static_cast<double>(naive.in_sequence.dram()) /
           static_cast<double>(row.in_sequence.dram());
  }
  return 0;
}

constexpr double kAlike = 1.05;

/// The N between which naive starts to move more DRAM bytes than flash.
std::string crossover_text(const std::vector<ProfiledAttention>& rows, const Gpu& gpu) {
  int64_t alike = 0, more = 0;
  for (const ProfiledAttention& row : rows) {
    if (row.gpu_id != gpu.id || row.scores_bytes == 0) continue;
    const bool is_alike = dram_ratio(rows, row) <= kAlike;
    if (is_alike) alike = std::max(alike, row.n);
    if (!is_alike && (more == 0 || row.n < more)) more = row.n;
  }
  if (more == 0)
    return fmt::format("Up to N = {} naive moves no more DRAM bytes than flash.", alike);
  if (alike == 0)
    return fmt::format("From N = {} on naive moves more DRAM bytes than flash.", more);
  return fmt::format(
      "Crossover: up to N = {} naive moves no more DRAM bytes than flash, from N = {} on more.",
      alike, more);
}

/// What became of S between the kernel that writes it and the one that reads it.
std::string scores_text(const std::vector<ProfiledAttention>& rows, const ProfiledAttention& row) {
  return fmt::format(
      "at N = {} (S is {}) the softmax kernel reads {:.0f} % of S from DRAM, and naive moves "
      "{:.1f} "
      "times flash's DRAM bytes.",
      row.n, in_mib(row.scores_bytes), 100 * share(row), dram_ratio(rows, row));
}

std::string gpu_text(const std::vector<ProfiledAttention>& rows, const Gpu& gpu) {
  const int64_t l2 = gpu.l2.bytes->value;
  const auto filled = static_cast<int64_t>(std::sqrt(static_cast<double>(l2) / 4));
  std::string text =
      fmt::format("- {}: the L2 has {}, as much as S and P together (4·N² bytes) at N = {}.",
                  gpu.name, in_mib(l2), filled);
  const ProfiledAttention* kept = nullptr;
  const ProfiledAttention* lost = nullptr;
  for (const ProfiledAttention& row : rows) {
    if (row.gpu_id != gpu.id || row.scores_bytes == 0) continue;
    if (share(row) < 0.5) kept = &row;
    if (share(row) >= 0.5 && lost == nullptr) lost = &row;
  }
  if (kept != nullptr) text += " Kept: " + scores_text(rows, *kept);
  if (lost != nullptr) text += " Lost: " + scores_text(rows, *lost);
  if (kept != nullptr && lost != nullptr) {
    text +=
        fmt::format(" So S is lost between N = {} and N = {} by the counters, at N = {} by size.",
                    kept->n, lost->n, filled);
  }
  return text + " " + crossover_text(rows, gpu) + "\n";
}

}  // namespace

Result<std::vector<ProfiledAttention>> profile_attention(const AttentionForms& half,
                                                         const AttentionOptions& options) {
  std::vector<ProfiledAttention> rows;
  for (const Gpu& gpu : options.gpus) {
    for (const int64_t n : options.profiled) {
      for (const bool flash : {false, true}) {
        WL_TRY(ProfiledAttention one,
               profile_program(flash ? flash_launches(n) : naive_launches(n), gpu, options.run));
        one.n = n;
        one.program = flash ? "flash" : "naive";
        if (!flash) one.scores_bytes = 2 * n * n;
        const Problem problem{n, kHead, flash ? kFlashRows : 64};
        one.formula_bytes =
            static_cast<int64_t>(value_at(flash ? half.flash : half.naive, problem));
        rows.push_back(std::move(one));
      }
    }
  }
  return rows;
}

Table profiled_table(const std::vector<ProfiledAttention>& rows) {
  Table table{.title = "CUDA kernels under the profiler (one head, d = 64, 2-byte elements)"};
  table.columns = {{"GPU", "gpu"},
                   {"N", "n", Align::kRight},
                   {"Program", "program"},
                   {"Formula", "formula_bytes", Align::kRight},
                   {"L1 - L2", "l2_bytes", Align::kRight},
                   {"DRAM, empty caches", "dram_cold_bytes", Align::kRight},
                   {"DRAM read", "dram_read_bytes", Align::kRight},
                   {"DRAM written", "dram_written_bytes", Align::kRight},
                   {"Left in L2", "left_in_l2_bytes", Align::kRight},
                   {"S from DRAM %", "scores_from_dram_percent", Align::kRight},
                   {"Duration us", "duration_us", Align::kRight}};
  const auto modeled = Fidelity::kModeled;
  for (const ProfiledAttention& row : rows) {
    const double us = row.seconds * 1e6, percent = row.scores_bytes ? 100 * share(row) : 0;
    table.rows.push_back(
        {{row.gpu, Cell(row.n, Fidelity::kExact), row.program,
          Cell(row.formula_bytes, Fidelity::kExact), Cell(row.cold.l2, modeled),
          Cell(row.cold.dram(), modeled), Cell(row.in_sequence.dram_read, modeled),
          Cell(row.in_sequence.dram_written, modeled), Cell(row.in_sequence.left_in_l2, modeled),
          row.scores_bytes ? Cell(fmt::format("{:.1f}", percent), percent, modeled) : Cell(),
          us > 0 ? Cell(fmt::format("{:.1f}", us), us, modeled) : Cell()}});
  }
  table.notes.push_back(
      "Formula: the tile program's global bytes with the kernel's tiles (naive: whole matrices, "
      "flash: Br = 128). DRAM with empty caches: each kernel by itself, as under ncu. DRAM read "
      "and "
      "written: each kernel with the L2 as the one before left it. Duration: the sum with empty "
      "caches.");
  return table;
}

std::string profiled_text(const std::vector<ProfiledAttention>& rows,
                          const std::vector<Gpu>& gpus) {
  std::string text =
      "The formulas do not model caches: where naive starts to cost DRAM bytes is where the L2 no "
      "longer "
      "keeps S between the kernel that writes it and the one that reads it while it writes P.\n\n";
  for (const Gpu& gpu : gpus) {
    if (gpu.l2.bytes) text += gpu_text(rows, gpu);
  }
  return text;
}

}  // namespace warpledger::study
