#include <fmt/core.h>

#include <cmath>

#include "examples/studies/attention.h"
#include "warpledger/base/number.h"
#include "warpledger/render/chart.h"
#include "warpledger/render/picture.h"

namespace warpledger::study {
namespace {

Series over_n(const std::string& label, const Expression& form, Problem problem, int64_t first) {
  Series series{label, {}};
  for (problem.n = first; problem.n <= 16384; problem.n *= 2) {
    series.points.push_back({static_cast<double>(problem.n), value_at(form, problem)});
  }
  return series;
}

Chart bytes_chart(const AttentionForms& forms) {
  const Problem p{0, 64};
  const Expression ratio = forms.naive_reads / forms.flash;
  const int64_t near = n_at_share_of_limit(ratio, p, 0.95);
  Chart chart;
  chart.title = "Bytes moved by attention (d = 64, Br = Bc = 64, 2-byte elements)";
  chart.x = {.label = "sequence length N", .logarithmic = true, .base = 2};
  chart.y = {.label = "bytes to and from global memory", .logarithmic = true};
  chart.x.low = 256;
  chart.x.high = 16384;
  chart.series = {over_n("naive", forms.naive_reads, p, 256), over_n("flash", forms.flash, p, 256)};
  const Problem marked{near, p.d};
  chart.annotations = {
      {{static_cast<double>(near), value_at(forms.naive_reads, marked)},
       fmt::format("N = {}: ratio {:.2f}, 95 % of its limit", near, value_at(ratio, marked)),
       {4, -90}}};
  chart.footnote = "naive without the write of O, flash with it, as the lab counts";
  return chart;
}

Chart ratio_chart(const AttentionForms& forms) {
  const Expression mixed = forms.naive_reads / forms.flash;
  const Expression alike = forms.naive / forms.flash;
  Chart chart;
  chart.title = "Intensity of flash over naive attention (Br = Bc = 64)";
  chart.x = {.label = "sequence length N", .logarithmic = true, .base = 2};
  chart.y = {.label = "intensity ratio flash / naive"};
  chart.y.low = 0;
  chart.y.high = 2.5;
  chart.x.low = 64;
  chart.x.high = 16384;
  chart.series = {over_n("d = 64", mixed, {0, 64}, 64),
                  over_n("d = 64, both write O", alike, {0, 64}, 64),
                  over_n("d = 128", mixed, {0, 128}, 64)};
  const Problem asked{8192, 128};
  chart.annotations = {{{8192, value_at(mixed, asked)},
                        fmt::format("N = 8192, d = 128: {:.4f}", value_at(mixed, asked))}};
  chart.footnote = "the limits for large N are 2*Br/d: 2 for d = 64 and 1 for d = 128";
  return chart;
}

Series roof(const Ceilings& c) {
  const double corner = ridge(c);
  return {
      c.name,
      {{0.5, attainable(c, 0.5)}, {corner, attainable(c, corner)}, {2048, attainable(c, 2048)}}};
}

std::string roof_text(const Ceilings& c) {
  return fmt::format("{}: {} GB/s, {} GFLOP/s {}", c.name,
                     ncu_number(std::round(c.bandwidth_gbs.median)),
                     ncu_number(std::round(c.gflops.median)), to_text(c.fidelity));
}

Chart roofline_chart(const AttentionForms& forms, const AttentionOptions& options) {
  Chart chart;
  chart.title = "Roofline of attention at N = 2048, d = 64 (2-byte elements)";
  chart.x = {.label = "intensity, flop per byte of global memory", .logarithmic = true, .base = 4};
  chart.y = {.label = "GFLOP/s", .logarithmic = true};
  chart.x.low = 0.5;
  chart.x.high = 2048;
  chart.series.push_back(roof(options.machine));
  std::vector<Ceilings> shown = {options.machine};
  for (const Gpu& gpu : options.gpus) {
    const auto ceilings = ceilings_of(gpu);
    if (!ceilings) continue;
    chart.series.push_back(roof(*ceilings));
    shown.push_back(*ceilings);
  }
  const Problem p{2048, 64};
  const double naive = value_at(forms.flops / forms.naive_reads, p);
  const double flash = value_at(forms.flops / forms.flash, p);
  const Ceilings& top = shown.back();
  chart.annotations = {
      {{naive, attainable(top, naive)}, fmt::format("naive, {:.1f} flop/B", naive), {-130, -22}},
      {{flash, attainable(top, flash)}, fmt::format("flash, {:.1f} flop/B", flash), {0, -25}}};
  chart.footnote = roof_text(options.machine) + "; GPUs: DRAM and fp16 tensor peaks of their files";
  chart.height = 440;
  return chart;
}

}  // namespace

Result<Files> attention_charts(const AttentionForms& forms, const AttentionOptions& options) {
  Files files;
  const std::pair<const char*, Chart> charts[] = {{"bytes_vs_n", bytes_chart(forms)},
                                                  {"intensity_ratio", ratio_chart(forms)},
                                                  {"roofline", roofline_chart(forms, options)}};
  for (const auto& [name, chart] : charts) {
    const Drawing drawing = draw(chart);
    WL_TRY(files[fmt::format("{}.svg", name)], render(drawing, PictureFormat::kSvg));
    WL_TRY(files[fmt::format("{}.png", name)], render(drawing, PictureFormat::kPng));
  }
  return files;
}

}  // namespace warpledger::study
