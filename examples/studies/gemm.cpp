#include "examples/studies/gemm.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "examples/studies/kernels.h"
#include "warpledger/base/number.h"
#include "warpledger/base/units.h"
#include "warpledger/compare/traffic.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/metrics/shown.h"
#include "warpledger/profile/metrics/units.h"
#include "warpledger/render/bar_chart.h"
#include "warpledger/render/picture.h"
#include "warpledger/render/report.h"

namespace warpledger::study {
namespace {

using match::bytes_of;
using profile::Profile;

struct Shape {
  int64_t tile;  // of C, rows and columns a block
  exec::Extent block;
  const char* type = "f32";
};

GemmStep step(const char* name, const char* change, int64_t n, const Shape& shape) {
  const auto blocks = static_cast<uint32_t>(n / shape.tile);
  GemmStep made{.name = name, .change = change};
  made.element_bytes = shape.type == std::string("f32") ? 4 : 2;
  made.launch.kernel = std::string("gemm_") + name;
  made.launch.grid = {blocks, blocks, 1};
  made.launch.block = shape.block;
  made.launch.arguments = {fmt::format("A={}[{}x{}]", shape.type, n, n),
                           fmt::format("B={}[{}x{}]", shape.type, n, n),
                           fmt::format("C=f32[{}x{}]", n, n), fmt::format("i32:{}", n)};
  return made;
}

GemmResult result_of(const GemmStep& step, int64_t n, Profile profile) {
  const match::KernelTraffic traffic = match::traffic_of({profile});
  uint64_t requests = 0, sectors = 0;
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    const memory::RequestCounters& counted = profile.counters.sites[i].request;
    requests += counted.requests;
    if (profile.instructions[i].site.space == trace::Space::kGlobal) sectors += counted.sectors;
  }
  return {.step = step,
          .n = n,
          .profile = std::move(profile),
          .requests = static_cast<int64_t>(requests),
          .asked = bytes_of(traffic.read.requested) + bytes_of(traffic.written.requested),
          .shared = bytes_of(traffic.shared_read) + bytes_of(traffic.shared_written),
          .l1_sectors = kSectorBytes * static_cast<int64_t>(sectors),
          .l2_read = bytes_of(traffic.read.l2),
          .l2_written = bytes_of(traffic.written.l2),
          .dram_read = bytes_of(traffic.read.dram),
          .dram_written = bytes_of(traffic.written.dram)};
}

/// The raw value is the metric's own; a person reads two decimals.
Cell metric_cell(const Profile& profile, const char* metric) {
  const auto [value, unit] = profile::answer(metric, profile);
  Cell cell = profile::cell_of(value, unit, profile::Units::kBase);
  if (const auto* number = std::get_if<double>(&cell.raw)) {
    cell.text = group_thousands(std::string_view(fmt::format("{:.2f}", *number)));
  }
  return cell;
}

std::string busiest(const Profile& profile) {
  const auto loads = profile::unit_loads({profile, profile.counters});
  return loads.empty() ? "" : loads.front().unit;
}

/// "L2 -> L1 falls to 1/8.0"; "" when it changes by less than a quarter.
std::string change_of(const char* edge, int64_t before, int64_t after) {
  if (before == 0 && after > 0) return fmt::format("{} appears", edge);
  if (before == 0 || after == 0) return "";
  const double ratio = static_cast<double>(before) / static_cast<double>(after);
  if (ratio >= 1.25) return fmt::format("{} falls to 1/{:.1f}", edge, ratio);
  if (ratio <= 0.8) return fmt::format("{} grows {:.1f} times", edge, 1 / ratio);
  return "";
}

}  // namespace

std::vector<GemmStep> gemm_steps(int64_t n) {
  const Shape square{32, {32, 32, 1}};
  return {step("naive", "one element per thread, lanes run down a column", n, square),
          step("coalesced", "lanes run along a row", n, square),
          step("shared", "tiles of 32 x 32 in shared memory", n, square),
          step("register", "4 x 4 elements per thread in registers", n, {64, {256, 1, 1}}),
          step("vectorised", "128 bits per lane and request", n, {64, {256, 1, 1}}),
          step("tensor", "halves, products by the tensor cores", n, {64, {128, 1, 1}, "f16"})};
}

Result<std::vector<GemmResult>> run_gemm(const GemmOptions& options) {
  if (options.n < 64 || options.n % 64 != 0) {
    return Diagnostic{fmt::format("--n is {}, not a multiple of 64", options.n),
                      "the kernels do not handle partial tiles", "bad-size"};
  }
  const KernelText text = study_kernel("gemm_ladder");
  std::vector<GemmResult> results;
  for (const GemmStep& one : gemm_steps(options.n)) {
    WL_TRY(Profile made, profile_case(text, one.launch, options.gpu, options.run));
    results.push_back(result_of(one, options.n, std::move(made)));
  }
  return results;
}

Table gemm_table(const std::vector<GemmResult>& results) {
  const auto modeled = Fidelity::kModeled;
  Table table{.title = "What each step does to each edge"};
  table.columns = {{"Step", "step"},
                   {"Requests", "requests", Align::kRight},
                   {"Asked of L1", "asked_bytes", Align::kRight},
                   {"Sectors of L1", "l1_sector_bytes", Align::kRight},
                   {"Shared memory", "shared_bytes", Align::kRight},
                   {"L2 -> L1", "l2_read_bytes", Align::kRight},
                   {"L1 -> L2", "l2_written_bytes", Align::kRight},
                   {"DRAM -> L2", "dram_read_bytes", Align::kRight},
                   {"L2 -> DRAM", "dram_written_bytes", Align::kRight},
                   {"At least", "least_bytes", Align::kRight},
                   {"Sectors/req", "sectors_per_request", Align::kRight},
                   {"Conflicts", "conflicts", Align::kRight},
                   {"L1 hit %", "l1_hit_percent", Align::kRight},
                   {"L2 hit %", "l2_hit_percent", Align::kRight},
                   {"Duration ns", "duration_ns", Align::kRight},
                   {"Busiest unit", "busiest_unit"}};
  for (const GemmResult& one : results) {
    const Profile& p = one.profile;
    const Fidelity counted = p.counted_as();
    table.rows.push_back(
        {{one.step.name, Cell(one.requests, counted), Cell(one.asked, counted),
          Cell(one.l1_sectors, counted), Cell(one.shared, counted), Cell(one.l2_read, modeled),
          Cell(one.l2_written, modeled), Cell(one.dram_read, modeled),
          Cell(one.dram_written, modeled),
          Cell(2 * one.n * one.n * one.step.element_bytes, Fidelity::kExact),
          metric_cell(p, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"),
          metric_cell(p, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"),
          metric_cell(p, "l1tex__t_sector_hit_rate.pct"),
          metric_cell(p, "lts__t_sector_hit_rate.pct"), metric_cell(p, "gpu__time_duration.sum"),
          busiest(p)}});
  }
  table.notes.push_back(
      "Requests: of warps, to global and shared memory. Sectors of L1: 32 bytes for each sector "
      "that a "
      "global request touches. At least: A and B read once from DRAM; the tensor-core step has "
      "halves. What is written and not yet written back stays in the L2.");
  return table;
}

std::vector<std::string> gemm_sentences(const std::vector<GemmResult>& results) {
  std::vector<std::string> lines;
  for (size_t i = 1; i < results.size(); ++i) {
    const GemmResult &a = results[i - 1], &b = results[i];
    std::vector<std::string> parts = {
        change_of("the number of requests", a.requests, b.requests),
        change_of("threads - L1", a.asked, b.asked),
        change_of("sector traffic of the L1", a.l1_sectors, b.l1_sectors),
        change_of("threads - shared memory", a.shared, b.shared),
        change_of("L2 -> L1", a.l2_read, b.l2_read),
        change_of("DRAM -> L2", a.dram_read, b.dram_read)};
    std::erase(parts, "");
    lines.push_back(fmt::format(
        "{} ({}): {}. Busiest: {}.", b.step.name, b.step.change,
        parts.empty() ? "no edge changes by a quarter" : fmt::format("{}", fmt::join(parts, ", ")),
        busiest(b.profile)));
  }
  return lines;
}

Drawing gemm_bars(const std::vector<GemmResult>& results, const Gpu& gpu) {
  BarChart chart{
      .title = fmt::format("Bytes over each edge, n = {}, {}", results.front().n, gpu.name),
      .value_label = "bytes, logarithmic",
      .series = {"threads - L1", "L1 sectors", "threads - shared", "L1 - L2", "L2 - DRAM"}};
  for (const GemmResult& one : results) {
    chart.groups.push_back(
        {one.step.name,
         {static_cast<double>(one.asked), static_cast<double>(one.l1_sectors),
          static_cast<double>(one.shared), static_cast<double>(one.l2_read + one.l2_written),
          static_cast<double>(one.dram_read + one.dram_written)}});
  }
  return draw(chart);
}

Result<Files> gemm_study(const GemmOptions& options) {
  WL_TRY(const std::vector<GemmResult> results, run_gemm(options));
  const Table table = gemm_table(results);
  const Drawing bars = gemm_bars(results, options.gpu);
  Files files;
  files["steps.csv"] = to_csv(table);
  files["steps.json"] = to_json(table).dump(2) + "\n";
  WL_TRY(files["bytes.svg"], render(bars, PictureFormat::kSvg));
  WL_TRY(files["bytes.png"], render(bars, PictureFormat::kPng));
  files["report.html"] = gemm_page(results, table, bars);
  std::string text = fmt::format("# The GEMM ladder, n = {}, {}\n\n", options.n, options.gpu.name);
  text +=
      "Row-major, C = A B. Each kernel differs from the one before in one thing "
      "(kernels/gemm_ladder.cu). Caches are empty at the start of each.\n\n";
  text += to_markdown(table) + "\n![bytes](bytes.png)\n\n";
  for (const std::string& line : gemm_sentences(results)) text += "- " + line + "\n";
  files["README.md"] = text + "\n`report.html` has each step's whole profile.\n";
  return files;
}

}  // namespace warpledger::study
