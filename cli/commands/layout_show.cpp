// `warpledger layout show`: the table of a fragment, one element, one lane, or its formula.
#include <fmt/core.h>

#include "cli/commands/layout.h"
#include "warpledger/layout/emit.h"
#include "warpledger/layout/notation/notation.h"
#include "warpledger/layout/show.h"

namespace warpledger::cli {
namespace {

struct Options {
  std::string layout;
  LayoutText text;
  std::string where;
  int lane = -1;
  std::string emit;
  bool formula = false;
  bool bases = false;
  bool cute = false;
  OutputOptions output;
};

std::string heading(const Fragment& fragment, int arch) {
  std::string text = fragment.name;
  if (arch != 0) text += fmt::format(" on sm_{}", arch);
  return text + fmt::format(": {} x {}, {} elements of {} bits in each of {} threads ({}; {})\n",
                            fragment.rows, fragment.cols, fragment.elements, fragment.element_bits,
                            fragment.threads(), to_text(fragment.fidelity), fragment.source);
}

Result<Answer> show_where(const Fragment& fragment, const std::string& where) {
  WL_TRY(const auto at, parse_pair(where, ','));
  WL_TRY(const std::vector<Holder> holders, holders_of(fragment, at.first, at.second));
  Table table = holder_table(fragment, holders);
  table.title = fmt::format("{}: element ({}, {})", fragment.name, at.first, at.second);
  return Answer{.report = {.command = "layout show", .tables = {table}}};
}

Result<Answer> show_lane(const Fragment& fragment, int lane) {
  if (lane >= fragment.threads()) {
    return Diagnostic{.message = fmt::format("there is no lane {}: the fragment has {} threads",
                                             lane, fragment.threads()),
                      .code = "usage"};
  }
  return Answer{.report = {.command = "layout show", .tables = {lane_table(fragment, lane)}},
                .text = lane_text(fragment, lane)};
}

Table notation_table(const LinearMap& map, const Options& options) {
  Table table{.columns = {{"notation", "notation"}, {"text", "text"}}};
  if (options.formula) {
    for (const Dim& dim : map.to().dims()) {
      table.rows.push_back({{Cell(dim.name), Cell(notation::formula_of(map, dim.name))}});
    }
  }
  if (options.bases) table.rows.push_back({{Cell("bases"), Cell(notation::print_bases(map))}});
  if (options.cute) {
    const LinearMap threads_first = restrict_inputs(map, {"lane", "register"});
    const auto text = notation::print_cute(threads_first);
    table.rows.push_back({{Cell("cute"), Cell(text ? *text : "none: no single swizzle suffices")}});
  }
  return table;
}

Answer show_notation(const LinearMap& map, const Options& options) {
  const Table table = notation_table(map, options);
  std::string text;
  for (const Row& row : table.rows) {
    text += options.formula && row.cells[0].text != "bases" && row.cells[0].text != "cute"
                ? fmt::format("{} = {}\n", row.cells[0].text, row.cells[1].text)
                : row.cells[1].text + "\n";
  }
  return Answer{.report = {.command = "layout show", .tables = {table}}, .text = text};
}

Result<Answer> answer(const Options& options) {
  WL_TRY(const ResolveOptions resolve, resolve_options(options.text));
  WL_TRY(const Fragment fragment, resolve_fragment(options.layout, resolve));
  if (!options.where.empty()) return show_where(fragment, options.where);
  if (options.emit == "cuda") return Answer{.text = emit_store(fragment, "store_fragment")};
  if (options.lane >= 0) return show_lane(fragment, options.lane);
  if (options.formula || options.bases || options.cute) return show_notation(fragment.map, options);
  return Answer{.report = {.command = "layout show", .tables = {ownership_table(fragment)}},
                .drawing = [fragment] { return ownership_drawing(fragment); },
                .text = heading(fragment, resolve.arch) + "\n" + ownership_text(fragment)};
}

}  // namespace

void add_layout_show(Command& layout, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = add_command(
      layout, "show", "show the table, the formula or one element of a layout",
      "  warpledger layout show wmma.m16n16k16.C.f32 --arch sm_90\n"
      "  warpledger layout show wmma.m16n16k16.C.f32 --arch sm_90 --where 9,3\n"
      "  warpledger layout show mma.m16n8k16.A.f16 --formula --bases --cute\n"
      "  warpledger layout show '((4,8),(2,2)):((32,1),(16,8))' --shape 16x8 --export c.svg");
  command
      ->add_option("layout", options->layout,
                   "a fragment's name, bases, (shape):(stride) or a formula")
      ->required();
  add_layout_text_options(*command, options->text);
  command->add_option("--where", options->where, "ROW,COL: show which lane holds this element");
  command->add_option("--lane", options->lane, "show what one lane holds")->not_negative();
  command->add_option("--emit", options->emit, "cuda: a device function that stores the fragment")
      ->one_of({"cuda"});
  command->add_flag("--formula", options->formula, "as index formulas");
  command->add_flag("--bases", options->bases, "as bases over F2");
  command->add_flag("--cute", options->cute, "as a CuTe thread-value layout");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    const auto shown = answer(*options);
    if (!shown) return fail(session, shown.error());
    print(session, options->output, *shown);
  });
}

}  // namespace warpledger::cli
