// The words of the study. Every number in them is computed where it is printed.
#include <fmt/core.h>

#include <cmath>

#include "examples/studies/attention.h"
#include "warpledger/base/number.h"
#include "warpledger/render/table.h"

namespace warpledger::study {
namespace {

std::string grouped(double value) { return group_thousands(static_cast<int64_t>(value)); }

/// The power of ten above `value`, at least 1e-12: what is below depends on a machine's libm.
double power_above(double value) {
  return std::pow(10.0, std::ceil(std::log10(std::max(value, 1e-12))));
}

std::string forms_text(const AttentionForms& half) {
  const AttentionForms four = attention_forms(*tile::element_type("f32"));
  const auto row = [](const char* name, const Expression& four_bytes, const Expression& two) {
    return fmt::format("| {} | `{}` | `{}` |\n", name, four_bytes.expanded_text(),
                       two.expanded_text());
  };
  std::string text =
      "## Closed forms\n\nDerived from `attention_naive.tile` and `attention_flash.tile`: global "
      "bytes of every copy, multiplied by how often it runs.\n\n"
      "| program | 4-byte elements | 2-byte elements |\n|---|---|---|\n";
  text += row("naive, O written", four.naive, half.naive);
  text += row("naive, O not written", four.naive_reads, half.naive_reads);
  text += row("flash, O written", four.flash, half.flash);
  text += row("flash, O not written", four.flash_reads, half.flash_reads);
  text += row("flops of the two products", four.flops, half.flops);
  text += fmt::format(
      "\nFactored, flash with O written is `{}`. The lab's two formulas count the write of O "
      "differently: its naive form `{}` leaves it out, its flash form `{}` holds it. With O "
      "written "
      "in both, naive is `{}`; with O written in neither, flash is `{}`.\n\n",
      four.flash.to_text(), four.naive_reads.expanded_text(), four.flash.to_text(),
      four.naive.expanded_text(), four.flash_reads.expanded_text());
  text += fmt::format(
      "naive - flash = `{}` as the lab counts, `{}` with O written in both. The term in N² has the "
      "sign of 2·Br - d: for d <= 2·Br flash moves less at every N, and there is no crossover.\n\n",
      (four.naive_reads - four.flash).expanded_text(), (four.naive - four.flash).expanded_text());
  return text;
}

std::string crossover_text(const AttentionForms& half) {
  const Expression mixed = half.naive_reads / half.flash, alike = half.naive / half.flash;
  const Problem first{64, 64}, wide{64, 64};
  const auto limit = limit_at_infinity(mixed, "N");
  const int64_t near = n_at_share_of_limit(mixed, wide, 0.95);
  return fmt::format(
      "**1. At what N does flash start to win?** At every N. At d = Br = 64 the ratio naive/flash "
      "runs from {:.2f} at N = 64 to its limit `{}` = {:.0f}, and reaches 95 % of it at N = {}; "
      "with "
      "O written in both it is {:.0f} at every N. At (64, 64) with 2-byte elements the formulas "
      "give "
      "{} and {} bytes. That flash buys nothing there is not in the formulas: 64 x 64 scores of 4 "
      "bytes are {} KiB, which stay in L1 (table of caches), so the naive kernels' scores never "
      "reach DRAM.\n\n",
      value_at(mixed, first), limit->to_text(), value_at(*limit, first), near,
      value_at(alike, first), grouped(value_at(half.naive_reads, first)),
      grouped(value_at(half.flash, first)), 64 * 64 * 4 / 1024);
}

std::string ratio_text(const AttentionForms& half) {
  const Problem asked{8192, 128};
  return fmt::format(
      "**2. The intensity ratio at N = 8192, d = 128, Br = Bc = 64?** Both do {} flops. Naive "
      "moves "
      "{} bytes, flash {}: the ratio is {:.4f} ({:.4f} with O written in both). 2·Br/d is 1 here: "
      "with tiles of 64 rows, flash reads K and V so often that it gains nothing in global "
      "bytes.\n\n",
      grouped(value_at(half.flops, asked)), grouped(value_at(half.naive_reads, asked)),
      grouped(value_at(half.flash, asked)), value_at(half.naive_reads / half.flash, asked),
      value_at(half.naive / half.flash, asked));
}

std::string speedup_text(const AttentionForms& half, const AttentionOptions& options) {
  const Problem p{2048, 64};
  const double naive = value_at(half.flops / half.naive_reads, p);
  const double flash = value_at(half.flops / half.flash, p);
  std::string text = fmt::format(
      "**3. Why is the realized speed-up lower than 5–10x?** The 5–10x does not follow from these "
      "formulas. At N = 2048, d = 64 the intensities are {:.1f} and {:.1f} flop/B, a ratio of "
      "{:.2f}. "
      "Under a roofline the speed-up is the ratio of what each can attain:\n\n"
      "| roofs | naive GFLOP/s | flash GFLOP/s | predicted speed-up |\n|---|---:|---:|---:|\n",
      naive, flash, flash / naive);
  std::vector<Ceilings> all = {options.machine};
  for (const Gpu& gpu : options.gpus) {
    if (auto ceilings = ceilings_of(gpu)) all.push_back(*ceilings);
  }
  for (const Ceilings& c : all) {
    const double slow = attainable(c, naive), fast = attainable(c, flash);
    text += fmt::format("| {} ({}) | {} | {} | {:.2f} |\n", c.name, to_text(c.fidelity),
                        ncu_number(std::round(slow)), ncu_number(std::round(fast)), fast / slow);
  }
  return text +
         "\nWhere both are below the ridge, the prediction is the ratio of bytes and nothing more; "
         "where the ridge lies below both, it is 1. A measured speed-up above that ratio comes "
         "from "
         "what the formulas leave out: unfused implementations that write masks, dropout and "
         "32-bit softmax as matrices of their own, and three launches instead of one. One below it "
         "comes from shared-memory bandwidth and from exponentials, which no roofline of global "
         "bytes shows.\n\n";
}

}  // namespace

Table cache_table(const std::vector<Gpu>& gpus) {
  Table table{.title = "Where the N x N scores (2-byte elements) outgrow the caches"};
  table.columns = {{"GPU", "gpu"},
                   {"L1 and shared KiB", "l1_kib", Align::kRight},
                   {"L2 bytes", "l2_bytes", Align::kRight},
                   {"N at which N*N*2 exceeds L2", "n", Align::kRight}};
  for (const Gpu& gpu : gpus) {
    if (!gpu.l2.bytes || !gpu.architecture.l1.unified_kib) continue;
    const auto n =
        static_cast<int64_t>(std::sqrt(static_cast<double>(gpu.l2.bytes->value) / 2)) + 1;
    table.rows.push_back(
        {{gpu.name,
          Cell(gpu.architecture.l1.unified_kib->value, gpu.architecture.l1.unified_kib->fidelity),
          Cell(gpu.l2.bytes->value, gpu.l2.bytes->fidelity), Cell(n, gpu.l2.bytes->fidelity)}});
  }
  return table;
}

Result<std::string> attention_readme(const AttentionForms& half, const Measured& measured,
                                     const AttentionOptions& options) {
  std::string text = "# Bytes moved by naive and by flash attention\n\n";
  text += forms_text(half);
  text += "## The six problems\n\n" + to_markdown(bytes_table(half)) + "\n";
  text += to_markdown(intensity_table(half)) + "\n";
  text += "![bytes](bytes_vs_n.png)\n\n![ratio](intensity_ratio.png)\n\n";
  text += fmt::format(
      "## Counted by running\n\nBoth programs ran on random inputs while every byte was counted; "
      "the "
      "counts differ from the formulas by at most {:.2f} %, where the lab allows 30 %. Their "
      "outputs "
      "differ by less than {:.0e}.\n\n{}\n",
      measured.worst_percent, power_above(measured.worst_apart), to_markdown(measured.table));
  std::vector<Ceilings> all = {options.machine};
  for (const Gpu& gpu : options.gpus) {
    WL_TRY(const Ceilings ceilings, ceilings_of(gpu));
    all.push_back(ceilings);
  }
  text += "## Roofs\n\n" + to_markdown(ceilings_table(all)) + "\n";
  text += to_markdown(cache_table(options.gpus)) + "\n![roofline](roofline.png)\n\n";
  text += "## The three questions\n\n" + crossover_text(half) + ratio_text(half) +
          speedup_text(half, options);
  text +=
      "`derivation.md` shows how the rewriter goes from the naive program to the flash ledger by "
      "named rules. `manifest.json` has the inputs and the SHA-256 of every file.\n";
  return text;
}

}  // namespace warpledger::study
