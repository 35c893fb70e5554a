// `warpledger layout convert`, `reduce` and `audit`.
#include <fmt/format.h>

#include "cli/commands/layout.h"
#include "warpledger/layout/audit.h"
#include "warpledger/layout/emit.h"

namespace warpledger::cli {
namespace {

struct ConvertOptions {
  std::string from, to, emit, route, name = "convert";
  int bits = 0;
  LayoutText text;
  OutputOptions output;
};

Table route_table(const convert::Conversion& conversion) {
  Table table{.columns = {{"route", "route"},
                          {"instructions", "instructions", Align::kRight},
                          {"shuffles", "shuffles", Align::kRight},
                          {"wavefronts", "wavefronts", Align::kRight},
                          {"shared bytes", "shared_bytes", Align::kRight},
                          {"barriers", "barriers", Align::kRight},
                          {"from", "first_arch"},
                          {"how", "how"}}};
  for (const convert::Route& route : conversion.routes) {
    table.rows.push_back({{Cell(route.name), Cell(route.price.instructions, Fidelity::kModeled),
                           Cell(route.price.shuffles, Fidelity::kExact),
                           Cell(route.price.wavefronts, Fidelity::kModeled),
                           Cell(route.price.shared_bytes, Fidelity::kExact),
                           Cell(route.price.barriers, Fidelity::kExact),
                           Cell(fmt::format("sm_{}", route.first_arch)), Cell(route.explanation)}});
  }
  table.notes = {
      "Per warp. Model: one instruction each for a shuffle, select, byte permute, movmatrix, load "
      "or store;",
      "one wavefront for a shuffle or movmatrix, counted ones for shared memory. Fewest barriers "
      "come first,",
      "then fewest wavefronts, then fewest instructions. Every route was run lane by lane."};
  return table;
}

Result<const convert::Route*> chosen_route(const convert::Conversion& conversion,
                                           const std::string& name) {
  std::vector<std::string> names;
  for (const convert::Route& route : conversion.routes) {
    if (name.empty() || route.name == name) return &route;
    names.push_back(route.name);
  }
  return Diagnostic{.message = fmt::format("unknown route '{}'", name),
                    .hint = fmt::format("routes: {}", fmt::join(names, ", ")),
                    .code = "unknown-route"};
}

Status run_convert(const ConvertOptions& options, Session& session) {
  WL_TRY(const ResolveOptions resolve, resolve_options(options.text));
  WL_TRY(const Fragment from, resolve_fragment(options.from, resolve));
  WL_TRY(const Fragment to, resolve_fragment(options.to, resolve));
  const int bits = options.bits != 0 ? options.bits : std::min(from.element_bits, to.element_bits);
  WL_TRY(const convert::Conversion conversion, convert::find_routes(from, to, bits));
  WL_TRY(const convert::Route* route, chosen_route(conversion, options.route));
  if (options.emit == "cuda") {
    session.out << emit_conversion(*route, from, to, options.name);
    return {};
  }
  Report report{.command = "layout convert", .tables = {route_table(conversion)}};
  report.verdict = {fmt::format("{} -> {}, elements of {} bits: {}.", from.name, to.name, bits,
                                route->explanation)};
  print(session, options.output, {.report = report});
  return {};
}

struct ReduceOptions {
  std::string fragment, over = "col", operation = "max", emit, name;
  LayoutText text;
  OutputOptions output;
};

ReduceOperation operation_of(const std::string& word) {
  return word == "max"   ? ReduceOperation::kMax
         : word == "min" ? ReduceOperation::kMin
                         : ReduceOperation::kSum;
}

Status run_reduce(const ReduceOptions& options, Session& session) {
  WL_TRY(const ResolveOptions resolve, resolve_options(options.text));
  WL_TRY(const Fragment fragment, resolve_fragment(options.fragment, resolve));
  const bool over_columns = options.over == "col";
  WL_TRY(const Reduction reduction,
         synthesise_reduction(fragment, over_columns ? ReduceOver::kCol : ReduceOver::kRow));
  const std::string kept = over_columns ? "row" : "col";
  if (options.emit == "cuda") {
    const std::string name =
        options.name.empty() ? fmt::format("{}_{}", kept, options.operation) : options.name;
    session.out << emit_reduction(reduction, fragment, operation_of(options.operation), name);
    return {};
  }
  const convert::Price price = convert::price_of(reduction.program);
  Table table{.columns = {{"step", "step"}, {"count", "count", Align::kRight}}};
  table.rows = {{{Cell("combines in the thread"), Cell(reduction.in_thread, Fidelity::kExact)}},
                {{Cell("shuffles"), Cell(price.shuffles, Fidelity::kExact)}},
                {{Cell("combines after shuffles"), Cell(price.shuffles, Fidelity::kExact)}},
                {{Cell("results per lane"),
                  Cell(static_cast<int64_t>(reduction.output_rows.size()), Fidelity::kExact)}},
                {{Cell("bytes of shared memory"), Cell(0, Fidelity::kExact)}},
                {{Cell("barriers"), Cell(0, Fidelity::kExact)}}};
  Report report{.command = "layout reduce", .tables = {table}};
  report.verdict = {fmt::format(
      "{} of each {} of {}: shfl_xor by {}.", options.operation, kept, fragment.name,
      reduction.lane_masks.empty() ? "nothing"
                                   : fmt::format("{}", fmt::join(reduction.lane_masks, ", ")))};
  print(session, options.output, {.report = report});
  return {};
}

struct AuditOptions {
  std::string fragment, layout;
  LayoutText text;
  OutputOptions output;
};

Status run_audit(const AuditOptions& options, Session& session) {
  WL_TRY(const ResolveOptions resolve, resolve_options(options.text));
  WL_TRY(const Fragment fragment, resolve_fragment(options.fragment, resolve));
  WL_TRY(const AuditFinding finding, audit(fragment, options.layout));
  Table table{.columns = {{"compared", "compared", Align::kRight},
                          {"different", "different", Align::kRight},
                          {"first difference", "first"},
                          {"should be", "corrected"}}};
  table.rows = {
      {{Cell(finding.points, Fidelity::kExact), Cell(finding.differences, Fidelity::kExact),
        Cell(finding.first), Cell(finding.corrected)}}};
  Report report{.command = "layout audit", .tables = {table}};
  report.verdict = {finding.differences == 0
                        ? fmt::format("The layout is that of {}.", fragment.name)
                        : fmt::format("The layout is not that of {}.", fragment.name)};
  print(session, options.output, {.report = report});
  if (finding.differences > 0) session.exit_code = kGateFailed;
  return {};
}

template <class Options>
void hang(Command command, Session& session, std::shared_ptr<Options> options,
          Status (*run)(const Options&, Session&)) {
  add_layout_text_options(*command, options->text);
  add_output_options(*command, options->output);
  command->callback([options, run, &session] {
    if (const Status done = run(*options, session); !done) fail(session, done.error());
  });
}

}  // namespace

void add_layout_convert(Command& layout, Session& session) {
  auto options = std::make_shared<ConvertOptions>();
  Command command = add_command(
      layout, "convert", "list the ways to convert one register layout to another, with their cost",
      "  warpledger layout convert wmma.m16n16k16.C.f32 mma.m16n8k16.A.f16\n"
      "  warpledger layout convert wmma.m16n16k16.C.s32 mma.m16n8k16.A.s8 --route shuffles --emit "
      "cuda");
  command->add_option("from", options->from, "source layout")->required();
  command->add_option("to", options->to, "target layout")->required();
  command
      ->add_option("--bits", options->bits,
                   "bits of an element while it moves (default: the narrower of the two)")
      ->one_of({8, 16, 32, 64});
  command->add_option("--emit", options->emit, "cuda: the device function")->one_of({"cuda"});
  command->add_option("--route", options->route, "route to emit (default: the cheapest)");
  command->add_option("--name", options->name, "of the emitted function")->capture_default_str();
  hang(command, session, options, run_convert);
}

void add_layout_reduce(Command& layout, Session& session) {
  auto options = std::make_shared<ReduceOptions>();
  Command command = add_command(
      layout, "reduce", "reduce a fragment over its columns or rows, in registers",
      "  warpledger layout reduce wmma.m16n16k16.C.f32 --arch sm_90 --over col --op max --emit "
      "cuda");
  command->add_option("fragment", options->fragment, "the layout to reduce")->required();
  command->add_option("--over", options->over, "col: one value per row remains")
      ->one_of({"col", "row"})
      ->capture_default_str();
  command->add_option("--op", options->operation, "operator")
      ->one_of({"max", "min", "sum"})
      ->capture_default_str();
  command->add_option("--emit", options->emit, "cuda: the device function")->one_of({"cuda"});
  command->add_option("--name", options->name, "of the emitted function");
  hang(command, session, options, run_reduce);
}

void add_layout_audit(Command& layout, Session& session) {
  auto options = std::make_shared<AuditOptions>();
  Command command = add_command(
      layout, "audit", "check a layout in any notation against the catalog; exit 1 if they differ",
      "  warpledger layout audit mma.m16n8k32.B.s4 '((4,8),8):((32,1),8)'");
  command->add_option("fragment", options->fragment, "what it claims to be")->required();
  command->add_option("layout", options->layout, "bases, (thread, value) CuTe layout, or formulas")
      ->required();
  hang(command, session, options, run_audit);
}

}  // namespace warpledger::cli
