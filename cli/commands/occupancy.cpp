// `warpledger occupancy`: ncu's launch and occupancy sections, what limits them and what would
// help.
#include <fmt/core.h>

#include <map>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/options/launch_options.h"
#include "cli/terminal/output.h"
#include "warpledger/base/number.h"
#include "warpledger/gpu/advice.h"
#include "warpledger/render/chart.h"
#include "warpledger/render/ncu_section.h"

namespace warpledger::cli {
namespace {

struct OccupancyOptions {
  LaunchOptions launch;
  std::string sweep;
  int64_t stage_bytes = 0;
  OutputOptions output;
};

constexpr const char* kExamples =
    "  warpledger occupancy --gpu rtx3090 --grid 188,250 --block 16,16 --regs 30\n"
    "  warpledger occupancy --gpu a100 --block 256 --regs 34 --sweep regs --export regs.svg\n"
    "  warpledger occupancy --gpu h100 --block 384 --regs 168 --smem-dynamic 65536 "
    "--max-stages 32768";

constexpr double kKib = 1024;

Axis axis_of(const Sweep& swept) {
  Axis axis{.label = std::string(to_text(swept.axis)), .low = 0, .step = 32};
  if (swept.axis == SweepAxis::kBlock) axis.step = 128;
  if (swept.axis == SweepAxis::kSharedMemory) axis.label = "KiB of shared memory per block";
  return axis;
}

Point place_of(const Sweep& swept, const SweepPoint& point) {
  const double unit = swept.axis == SweepAxis::kSharedMemory ? kKib : 1;
  return {static_cast<double>(point.value) / unit, static_cast<double>(point.warps_per_sm)};
}

// The words are in the legend: next to the mark they would hide the curve.
Chart chart_of(const Gpu& gpu, const Sweep& swept) {
  const SweepPoint& here = swept.points[swept.current];
  const std::string label = fmt::format(
      "warps; the dot is this launch: {} {}, {} warps, limited by {}", group_thousands(here.value),
      to_text(swept.axis), here.warps_per_sm, to_text(here.limited_by));
  Chart chart{.title = fmt::format("Occupancy on {}", gpu.name),
              .x = axis_of(swept),
              .y = {.label = "resident warps per SM",
                    .low = 0,
                    .high = static_cast<double>(swept.max_warps_per_sm),
                    .step = 8},
              .series = {{.label = label, .points = {}, .steps = true}},
              .annotations = {{place_of(swept, here), ""}},
              .footnote = "Limited by: " + limits_in_words(swept)};
  for (const SweepPoint& point : swept.points)
    chart.series[0].points.push_back(place_of(swept, point));
  return chart;
}

std::string stages_text(const Stages& stages, int64_t bytes) {
  const auto& [now, one] = stages;
  std::string text = fmt::format(
      "{} more buffer{} of {} bytes fit at {} block{} per SM ({} bytes "
      "free per block)",
      now.buffers, now.buffers == 1 ? "" : "s", group_thousands(bytes), now.blocks_per_sm,
      now.blocks_per_sm == 1 ? "" : "s", group_thousands(now.free_bytes_per_block));
  if (now.blocks_per_sm > 1)
    text += fmt::format(", {} at 1 block per SM ({} bytes free)", one.buffers,
                        group_thousands(one.free_bytes_per_block));
  return text;
}

// ncu's layout has no room for marks, so that what is not exact is said below it.
std::string remark_on(const Launch& launch) {
  if (launch.carveout_kib || launch.cache == CachePreference::kShared)
    return "All values follow from the launch and published limits.";
  return "Modeled: the driver's choice of Shared Memory Configuration Size, and with it Block "
         "Limit "
         "Shared Mem; the rest follows from the launch and published limits.";
}

// What the command found, before it is shown.
struct Findings {
  Gpu gpu;
  Report report;
  std::optional<Sweep> swept;
};

Status add_sweep(Findings& findings, const Launch& launch, const std::string& axis) {
  const std::map<std::string, SweepAxis> axes = {{"block", SweepAxis::kBlock},
                                                 {"regs", SweepAxis::kRegisters},
                                                 {"smem", SweepAxis::kSharedMemory}};
  if (axis.empty()) return {};
  WL_TRY(findings.swept, sweep(findings.gpu, launch, axes.at(axis)));
  findings.report.tables.push_back(table_of(*findings.swept));
  return {};
}

Result<Findings> find(const OccupancyOptions& options) {
  WL_TRY(const Gpu gpu, load_gpu(options.launch.gpu));
  WL_TRY(const Launch launch, launch_of(options.launch));
  WL_TRY(const Table statistics, launch_section(gpu, launch));
  WL_TRY(const Table limits, occupancy_section(gpu, launch));
  WL_TRY(const Advice advice, advise(gpu, launch));
  Findings findings{.gpu = gpu,
                    .report = {.command = "occupancy",
                               .verdict = {fmt::format("{} ({}): {}", gpu.name, gpu.architecture.id,
                                                       to_text(advice))},
                               .tables = {statistics, limits},
                               .remarks = {remark_on(launch)}}};
  if (options.stage_bytes > 0) {
    WL_TRY(const Stages stages, max_stages(gpu, launch, options.stage_bytes));
    findings.report.verdict.push_back(stages_text(stages, options.stage_bytes));
  }
  WL_TRY_STATUS(add_sweep(findings, launch, options.sweep));
  return findings;
}

// ncu's own layout, then the verdict; a sweep as the classic curve.
std::string text_of(const Findings& findings) {
  std::string text;
  for (size_t i = 0; i < 2; ++i) text += ncu_section_text(findings.report.tables[i]) + "\n";
  if (findings.swept) text += curve_text(*findings.swept) + "\n";
  for (const std::string& line : findings.report.verdict) text += line + "\n";
  for (const std::string& line : findings.report.remarks) text += line + "\n";
  return text;
}

}  // namespace

void add_occupancy(Command& app, Session& session) {
  Command command = add_command(
      app, "occupancy",
      "print ncu's launch and occupancy sections, the limiter, and what would help", kExamples);
  auto options = std::make_shared<OccupancyOptions>();
  add_launch_options(*command, options->launch);
  command->add_option("--sweep", options->sweep, "also show occupancy over block, regs or smem")
      ->one_of({"block", "regs", "smem"});
  command
      ->add_option("--max-stages", options->stage_bytes, "show how many more buffers of BYTES fit")
      ->type_name("BYTES")
      ->positive();
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    const auto found = find(*options);
    if (!found) return fail(session, found.error());
    Answer answer{.report = found->report, .text = text_of(*found)};
    if (found->swept)
      answer.drawing = [&found] { return draw(chart_of(found->gpu, *found->swept)); };
    print(session, options->output, answer);
  });
}

}  // namespace warpledger::cli
