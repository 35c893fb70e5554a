#include "cli/commands/layout.h"

#include <fmt/core.h>

#include <charconv>

#include "cli/commands/commands.h"
#include "warpledger/layout/catalog/matrix_moves.h"

namespace warpledger::cli {

void add_layout_text_options(Command& command, LayoutText& options) {
  command.add_option("--arch", options.arch, "architecture, such as sm_90")->group("Layout");
  command.add_option("--shape", options.shape, "ROWSxCOLS of a layout written in CuTe or formulas")
      ->group("Layout");
  command.add_option("--elements", options.elements, "elements per lane of a layout in formulas")
      ->group("Layout");
}

Result<std::pair<int, int>> parse_pair(const std::string& text, char separator) {
  std::pair<int, int> pair;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, pair.first);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == separator) {
    const auto second = std::from_chars(first.ptr + 1, end, pair.second);
    if (second.ec == std::errc() && second.ptr == end) return pair;
  }
  return Diagnostic{
      .message = fmt::format("'{}' is not two numbers separated by '{}'", text, separator),
      .code = "usage"};
}

Result<ResolveOptions> resolve_options(const LayoutText& options) {
  ResolveOptions resolved;
  resolved.elements = options.elements;
  if (!options.arch.empty()) {
    WL_TRY(resolved.arch, parse_arch(options.arch));
  }
  if (!options.shape.empty()) {
    WL_TRY(const auto shape, parse_pair(options.shape, 'x'));
    if (shape.first < 1 || shape.second < 1 || shape.first > 4096 || shape.second > 4096) {
      return Diagnostic{.message = "a shape has sizes from 1 to 4,096", .code = "usage"};
    }
    resolved.rows = shape.first;
    resolved.cols = shape.second;
  }
  return resolved;
}

namespace {

Table names_table(int arch) {
  Table table{.title = fmt::format("fragments of sm_{}", arch), .columns = {{"name", "name"}}};
  for (const std::string& name : fragment_names(arch)) table.rows.push_back({{Cell(name)}});
  for (const std::string& name : matrix_move_names()) {
    const auto move = find_matrix_move(name);
    const bool tmem = name.starts_with("tcgen05.");
    if (move->first_arch > arch || (tmem && arch >= 120)) continue;
    table.rows.push_back({{Cell(name)}});
  }
  return table;
}

}  // namespace

void add_layout_list(Command& layout, Session& session) {
  struct Options {
    std::string arch = "sm_80";
    OutputOptions output;
  };
  auto options = std::make_shared<Options>();
  Command command = add_command(layout, "list", "list the fragments of an architecture",
                                "  warpledger layout list --arch sm_90a");
  command->add_option("--arch", options->arch, "architecture")->capture_default_str();
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    const auto arch = parse_arch(options->arch);
    if (!arch) return fail(session, arch.error());
    print(session, options->output,
          {.report = {.command = "layout list", .tables = {names_table(*arch)}}});
  });
}

void add_layout(Command& app, Session& session) {
  Command layout = add_command(app, "layout", "show which lane and register hold each element",
                               "  warpledger layout show wmma.m16n16k16.C.f32 --arch sm_90");
  layout->require_subcommand(1);
  add_layout_list(*layout, session);
  add_layout_show(*layout, session);
  add_layout_derive(*layout, session);
  add_layout_fit(*layout, session);
  add_layout_banks(*layout, session);
  add_layout_convert(*layout, session);
  add_layout_reduce(*layout, session);
  add_layout_audit(*layout, session);
  add_layout_memory(*layout, session);
}

}  // namespace warpledger::cli
