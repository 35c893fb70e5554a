#include "examples/studies/attention.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "examples/studies/attention_profiled.h"
#include "warpledger/base/hash.h"
#include "warpledger/base/number.h"
#include "warpledger/render/report.h"
#include "warpledger/tile/interpret.h"
#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/search.h"

namespace warpledger::study {
namespace {

constexpr Problem kProblems[] = {{64, 64},   {1024, 64},  {2048, 64},
                                 {4096, 64}, {8192, 128}, {32768, 128}};

tile::CheckedProgram program_of(std::string_view text, const tile::ElementType& type) {
  auto program = tile::parse("attention", std::string(text));
  WL_CHECK(program.ok());  // the files of tiles/ are tested
  auto checked = tile::check(in_type(*std::move(program), type));
  WL_CHECK(checked.ok());
  return *std::move(checked);
}

Sizes sizes_of(const Problem& p) {
  return {{"N", p.n}, {"d", p.d}, {"Br", p.block}, {"Bc", p.block}};
}

Cell bytes_cell(const Expression& form, const Problem& p) {
  return {static_cast<int64_t>(value_at(form, p)), Fidelity::kExact};
}
Cell ratio_cell(const Expression& ratio, const Problem& p) {
  const double value = value_at(ratio, p);
  return {fmt::format("{:.4f}", value), value, Fidelity::kExact};
}

}  // namespace

tile::Program in_type(tile::Program program, const tile::ElementType& type) {
  for (tile::Tensor& tensor : program.tensors) tensor.type = type;
  for (tile::Kernel& kernel : program.kernels) {
    tile::Body converted;
    for (tile::Statement& statement : kernel.body) {
      if (auto* store = std::get_if<tile::Store>(&statement.node)) {
        const std::string name = store->tile + "_" + type.name;
        converted.push_back({tile::Elementwise{name, tile::Formula{store->tile}, type}});
        store->tile = name;
      }
      converted.push_back(std::move(statement));
    }
    kernel.body = std::move(converted);
  }
  program.source = nullptr;
  return program;
}

AttentionForms attention_forms(const tile::ElementType& type) {
  const tile::Cost naive = tile::cost_of(program_of(naive_attention(), type));
  const tile::Cost flash = tile::cost_of(program_of(flash_attention(), type));
  WL_CHECK(naive.product_flops == flash.product_flops);
  return {naive.global, flash.global, naive.global - naive.output_writes,
          flash.global - flash.output_writes, naive.product_flops};
}

double value_at(const Expression& form, const Problem& problem) {
  const auto value = form.evaluate(sizes_of(problem));
  WL_CHECK(value.ok());  // forms hold only N, d, Br and Bc
  return to_double(*value);
}

int64_t n_at_share_of_limit(const Expression& ratio, Problem problem, double share) {
  const auto limit = limit_at_infinity(ratio, "N");
  WL_CHECK(limit.has_value());
  const double wanted = share * value_at(*limit, problem);
  for (problem.n = problem.block; value_at(ratio, problem) < wanted;) problem.n += problem.block;
  return problem.n;
}

Table bytes_table(const AttentionForms& forms) {
  Table table{.title = "Bytes moved to and from global memory, 2-byte elements, Br = Bc = 64"};
  table.columns = {{"N", "n", Align::kRight},
                   {"d", "d", Align::kRight},
                   {"Naive, O not written", "naive_reads_bytes", Align::kRight},
                   {"Naive", "naive_bytes", Align::kRight},
                   {"Flash, O not written", "flash_reads_bytes", Align::kRight},
                   {"Flash", "flash_bytes", Align::kRight},
                   {"Ratio as the lab counts", "ratio_mixed", Align::kRight},
                   {"Ratio, both write O", "ratio", Align::kRight}};
  for (const Problem& p : kProblems) {
    table.rows.push_back({{Cell(p.n, Fidelity::kExact), Cell(p.d, Fidelity::kExact),
                           bytes_cell(forms.naive_reads, p), bytes_cell(forms.naive, p),
                           bytes_cell(forms.flash_reads, p), bytes_cell(forms.flash, p),
                           ratio_cell(forms.naive_reads / forms.flash, p),
                           ratio_cell(forms.naive / forms.flash, p)}});
  }
  return table;
}

Table intensity_table(const AttentionForms& forms) {
  Table table{.title = "Intensity: flops of the two products per byte, 2-byte elements"};
  table.columns = {{"N", "n", Align::kRight},
                   {"d", "d", Align::kRight},
                   {"Flops", "flops", Align::kRight},
                   {"Naive flop/B", "naive_flops_per_byte", Align::kRight},
                   {"Flash flop/B", "flash_flops_per_byte", Align::kRight},
                   {"Flash / naive", "intensity_ratio", Align::kRight}};
  for (const Problem& p : kProblems) {
    const double naive = value_at(forms.flops / forms.naive_reads, p);
    const double flash = value_at(forms.flops / forms.flash, p);
    table.rows.push_back(
        {{Cell(p.n, Fidelity::kExact), Cell(p.d, Fidelity::kExact), bytes_cell(forms.flops, p),
          Cell(fmt::format("{:.1f}", naive), naive, Fidelity::kExact),
          Cell(fmt::format("{:.1f}", flash), flash, Fidelity::kExact),
          ratio_cell(forms.naive_reads / forms.flash, p)}});
  }
  table.notes.push_back(
      "Bytes as the lab counts them: naive without the write of O, flash with it.");
  return table;
}

Result<Measured> measure_attention(const AttentionForms& forms) {
  const auto half = *tile::element_type("f16");
  const tile::CheckedProgram naive = program_of(naive_attention(), half);
  const tile::CheckedProgram flash = program_of(flash_attention(), half);
  Measured out;
  out.table.title = "Counted while running, against the formulas (2-byte elements)";
  out.table.columns = {{"N", "n", Align::kRight},
                       {"d", "d", Align::kRight},
                       {"Program", "program"},
                       {"Formula", "formula_bytes", Align::kRight},
                       {"Interpreter", "interpreter_bytes", Align::kRight},
                       {"Off %", "off_percent", Align::kRight}};
  for (const Problem& p : {Problem{64, 64}, Problem{128, 64}, Problem{256, 32}}) {
    WL_TRY(const auto input, tile::random_input(naive, sizes_of(p), 2026));
    WL_TRY(const tile::Run slow, tile::interpret(naive, input));
    WL_TRY(const tile::Run fast, tile::interpret(flash, input));
    out.worst_apart = std::max(out.worst_apart, tile::difference(naive, slow, fast));
    for (const bool is_flash : {false, true}) {
      const double formula = value_at(is_flash ? forms.flash : forms.naive, p);
      const int64_t counted = (is_flash ? fast : slow).global_bytes();
      const double off = 100 * std::abs(static_cast<double>(counted) - formula) / formula;
      out.worst_percent = std::max(out.worst_percent, off);
      out.table.rows.push_back(
          {{Cell(p.n, Fidelity::kExact), Cell(p.d, Fidelity::kExact), is_flash ? "flash" : "naive",
            Cell(static_cast<int64_t>(formula), Fidelity::kExact), Cell(counted, Fidelity::kExact),
            Cell(fmt::format("{:.2f}", off), off, Fidelity::kExact)}});
    }
  }
  out.table.notes.push_back("The interpreter counts each element as it is read or written.");
  return out;
}

Result<std::string> attention_derivation(const Gpu& gpu) {
  tile::SearchOptions search;
  search.objective = tile::Objective::kGlobal;
  search.sizes = sizes_of({4096, 64});
  search.gpu = gpu;
  search.bound = 1;
  search.rules = tile::fusion_rules();
  WL_TRY(tile::Program parsed, tile::parse("attention_naive.tile", std::string(naive_attention())));
  WL_TRY(const tile::CheckedProgram naive, tile::check(std::move(parsed)));
  WL_TRY(const tile::Optimum found, tile::optimize(naive, search));
  const Expression reached = tile::cost_of(found.best).global;
  std::string text = fmt::format(
      "# From three kernels to flash attention, by rules\n\n{}.\n\nGlobal bytes: `{}` -> `{}` "
      "(4-byte elements), for programs that fit {} at N = 4096, d = 64, Br = Bc = 64.\n\n",
      tile::certificate(found, search.objective), tile::cost_of(naive).global.expanded_text(),
      reached.to_text(), gpu.name);
  text += to_markdown(tile::derivation_table(found));
  text += fmt::format("\n## The program it ends in\n\n```\n{}```\n", tile::to_text(found.best));
  return text;
}

namespace {

std::string manifest(const Files& files, const AttentionOptions& options) {
  nlohmann::ordered_json json;
  json["schema_version"] = 1;
  json["study"] = "attention";
  json["warpledger_version"] = options.version;
  json["inputs"] = {{"element_bytes", 2}, {"Br", 64}, {"Bc", 64}, {"seed", 2026}};
  for (const Problem& p : kProblems) json["inputs"]["problems"].push_back({p.n, p.d});
  for (const Gpu& gpu : options.gpus) json["inputs"]["gpus"].push_back(gpu.id);
  json["inputs"]["ceilings"] = nlohmann::ordered_json::parse(to_json(options.machine));
  for (const auto& [name, bytes] : files) json["sha256"][name] = sha256(bytes);
  return json.dump(2) + "\n";
}

Status add_profiled(const AttentionForms& half, const AttentionOptions& options, Files& files) {
  WL_TRY(const auto rows, profile_attention(half, options));
  const Table table = profiled_table(rows);
  files["profiled.csv"] = to_csv(table);
  files["profiled.json"] = to_json(table).dump(2) + "\n";
  files["README.md"] +=
      "\n## Under the profiler\n\n" + to_markdown(table) + "\n" + profiled_text(rows, options.gpus);
  return {};
}

}  // namespace

Result<Files> attention_study(const AttentionOptions& options) {
  WL_CHECK(!options.gpus.empty());
  const AttentionForms half = attention_forms(*tile::element_type("f16"));
  WL_TRY(const Measured measured, measure_attention(half));
  WL_TRY(Files files, attention_charts(half, options));
  files["bytes.csv"] = to_csv(bytes_table(half));
  files["intensity.csv"] = to_csv(intensity_table(half));
  files["measured.csv"] = to_csv(measured.table);
  files["attention_naive.tile"] = naive_attention();
  files["attention_flash.tile"] = flash_attention();
  WL_TRY(files["derivation.md"], attention_derivation(options.gpus.back()));
  WL_TRY(files["README.md"], attention_readme(half, measured, options));
  if (!options.profiled.empty()) WL_TRY_STATUS(add_profiled(half, options, files));
  files["manifest.json"] = manifest(files, options);
  return files;
}

}  // namespace warpledger::study
