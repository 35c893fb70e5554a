// `warpledger layout banks`: the wavefronts of a shared-memory access, a conflict, and a fix.
#include <fmt/format.h>

#include "cli/commands/layout.h"
#include "warpledger/layout/banks/tile_access.h"
#include "warpledger/layout/notation/notation.h"

namespace warpledger::cli {
namespace {

struct Options {
  std::string access;
  LayoutText text;
  std::string tile;
  int element_bits = 32;
  int bytes = 0;
  bool ldmatrix = false;
  bool fix = false;
  int64_t times = 1;
  OutputOptions output;
};

/// A name of the catalog, or a formula or CuTe layout on the lane alone.
Result<Layout> access_layout(const Options& options) {
  WL_TRY(ResolveOptions resolve, resolve_options(options.text));
  const bool named = options.access.find("ma.m") != std::string::npos;
  if (named) return resolve_layout(options.access, resolve);
  notation::Reading reading;
  reading.modes = {"lane", "register"};
  reading.from = options.text.elements > 0
                     ? Space({{"register", options.text.elements}, {"lane", 32}})
                     : Space({{"lane", 32}});
  return notation::read(Source("access", options.access), reading);
}

Result<std::vector<SharedAccess>> accesses_of(const Options& options) {
  WL_TRY(const Layout layout, access_layout(options));
  const int bytes = options.ldmatrix ? 16 : options.bytes;
  if (layout.to().find("row")) {
    if (options.tile.empty()) {
      return Diagnostic{.message = "rows and columns need a tile",
                        .hint = "give --tile, as in --tile 'Swizzle<3,3,3> o (64,64):(64,1)'",
                        .code = "usage"};
    }
    WL_TRY(const SharedTile tile, read_tile(options.tile, options.element_bits / 8));
    return tile_accesses(layout, tile, bytes);
  }
  return std::vector<SharedAccess>{{layout, bytes == 0 ? 4 : bytes}};
}

std::string witness_text(const BankWitness& worst) {
  return fmt::format("bank {} is accessed by lanes {} for words {} (phase {})", worst.bank,
                     fmt::join(worst.lanes, ", "), fmt::join(worst.words, ", "), worst.phase);
}

Table access_table(const std::vector<BankReport>& reports,
                   const std::vector<SharedAccess>& accesses, int64_t times) {
  Table table{.columns = {{"instruction", "instruction", Align::kRight},
                          {"bytes per lane", "lane_bytes", Align::kRight},
                          {"phases", "phases", Align::kRight},
                          {"wavefronts", "wavefronts", Align::kRight},
                          {"conflicts", "conflicts", Align::kRight},
                          {"counted by", "counted_by"}}};
  int64_t wavefronts = 0, conflicts = 0;
  for (size_t a = 0; a < reports.size(); ++a) {
    const BankReport& report = reports[a];
    wavefronts += report.total() * times;
    conflicts += report.conflicts() * times;
    table.rows.push_back({{Cell(static_cast<int64_t>(a), Fidelity::kExact),
                           Cell(accesses[a].bytes, Fidelity::kExact),
                           Cell(static_cast<int64_t>(report.wavefronts.size()), Fidelity::kExact),
                           Cell(report.total() * times, Fidelity::kExact),
                           Cell(report.conflicts() * times, Fidelity::kExact),
                           Cell(report.by_rank ? "rank" : "enumeration")}});
  }
  if (reports.size() > 1) {
    table.rows.push_back({{Cell("TOTAL"), Cell(), Cell(), Cell(wavefronts, Fidelity::kExact),
                           Cell(conflicts, Fidelity::kExact), Cell()},
                          true});
  }
  return table;
}

/// A tile is written in elements, so its swizzle is wanted in elements too.
std::string remedy_text(const Remedy& remedy, const Options& options) {
  if (!remedy.swizzle || options.tile.empty()) return remedy.text;
  Swizzle elements = *remedy.swizzle;
  for (int bytes = options.element_bits / 8; bytes > 1; bytes /= 2) --elements.base;
  return fmt::format("{}, {} on elements", remedy.text, to_text(elements));
}

Table remedy_table(const std::vector<SharedAccess>& accesses, const Options& options) {
  Table table{.title = "remedies",
              .columns = {{"change", "change"},
                          {"wavefronts", "wavefronts", Align::kRight},
                          {"extra bytes", "extra_bytes", Align::kRight}}};
  for (const Remedy& remedy : propose_remedies(accesses)) {
    table.rows.push_back(
        {{Cell(remedy_text(remedy, options)), Cell(remedy.wavefronts, Fidelity::kExact),
          Cell(remedy.extra_bytes, Fidelity::kExact)}});
  }
  return table;
}

Result<Answer> answer(const Options& options) {
  WL_TRY(const std::vector<SharedAccess> accesses, accesses_of(options));
  std::vector<BankReport> reports;
  size_t worst = 0;
  for (const SharedAccess& access : accesses) {
    WL_TRY(BankReport report, count_conflicts(access));
    reports.push_back(std::move(report));
    if (reports.back().total() > reports[worst].total()) worst = reports.size() - 1;
  }
  int conflicts = 0;
  for (const BankReport& report : reports) conflicts += report.conflicts();
  Report report{.command = "layout banks",
                .tables = {access_table(reports, accesses, options.times)}};
  report.verdict = {conflicts == 0
                        ? "No bank conflicts."
                        : fmt::format("Bank conflicts: {}.", witness_text(reports[worst].worst))};
  if (options.fix && conflicts > 0) report.tables.push_back(remedy_table(accesses, options));
  if (options.fix && conflicts == 0) report.remarks = {"Nothing to fix."};
  Answer shown{.report = report};
  shown.text = render(report, Format::kText) + "\n" + bank_text(accesses[worst], reports[worst]);
  shown.drawing = [access = accesses[worst], found = reports[worst]] {
    return bank_drawing(access, found);
  };
  return shown;
}

}  // namespace

void add_layout_banks(Command& layout, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = add_command(
      layout, "banks", "find bank conflicts of a shared-memory access, and how to fix them",
      "  warpledger layout banks 'offset = 128*lane' --bytes 16 --fix\n"
      "  warpledger layout banks 'row = lane%16; col = 8*(lane/16)' --ldmatrix --bits 16 \\\n"
      "      --tile 'Swizzle<3,3,3> o (64,64):(64,1)'\n"
      "  warpledger layout banks mma.m16n8k16.C.f32 --tile '(16,8):(8,1)'");
  command
      ->add_option("access", options->access,
                   "byte offsets of the lanes, their rows and columns, or a fragment")
      ->required();
  command->add_option("--tile", options->tile, "(row, col) layout of the tile, in elements");
  command->add_option("--bits", options->element_bits, "of one element of the tile")
      ->one_of({8, 16, 32, 64})
      ->capture_default_str();
  command->add_option("--bytes", options->bytes, "per lane and instruction; 0: the widest vector")
      ->one_of({0, 1, 2, 4, 8, 16});
  command->add_flag("--ldmatrix", options->ldmatrix, "each lane points at a row of 16 bytes");
  command->add_flag("--fix", options->fix, "propose the best swizzle and padding");
  command->add_option("--times", options->times, "how often the instruction runs")->positive();
  add_layout_text_options(*command, options->text);
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    const auto shown = answer(*options);
    if (!shown) return fail(session, shown.error());
    print(session, options->output, *shown);
  });
}

}  // namespace warpledger::cli
