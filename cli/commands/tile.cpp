// `warpledger tile`: what a tile program moves, whether it fits, and which program moves less.
#include <fmt/core.h>

#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/base/number.h"
#include "warpledger/ledger/json.h"
#include "warpledger/tile/capacity.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/interpret.h"
#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/search.h"

namespace warpledger::cli {
namespace {

struct TileOptions {
  std::vector<std::string> files;
  std::string set;
  std::string gpu;
  std::string per = "grid";
  std::string ledger;
  std::string rules = "all";
  std::string minimize = "total";
  std::string save;
  int64_t limit = 20000;
  double bound = 0;
  OutputOptions output;
};

Result<tile::CheckedProgram> read(const std::string& path, const TileOptions& options) {
  WL_TRY(const tile::CheckedProgram program, tile::load(path));
  WL_TRY(const Sizes sizes, tile::parse_sizes(options.set));
  return tile::with_sizes(program, sizes);
}

tile::LedgerScope scope_of(const TileOptions& options) {
  return options.per == "block" ? tile::LedgerScope::kBlock : tile::LedgerScope::kGrid;
}

Status add_capacity(const tile::CheckedProgram& program, const TileOptions& options,
                    Report& report) {
  if (options.gpu.empty()) return {};
  WL_TRY(const Gpu gpu, load_gpu(options.gpu));
  WL_TRY(const auto needs, tile::needs_of(program, program->known_sizes(), gpu));
  report.tables.push_back(tile::capacity_table(needs, gpu.name));
  for (const tile::Need& need : needs) {
    if (need.fits()) continue;
    report.verdict.push_back(fmt::format("{} does not fit {}: {} {} needed, {} too much",
                                         need.kernel, gpu.name, group_thousands(need.needed),
                                         need.resource,
                                         group_thousands(need.needed - need.available)));
  }
  return {};
}

/// "1,024", or a formula multiplied out and, where that is shorter, factored.
std::string bytes_text(const Expression& bytes) {
  if (const auto n = bytes.as_integer()) return group_thousands(*n);
  const std::string flat = bytes.expanded_text(), factored = bytes.to_text();
  return flat == factored ? flat : fmt::format("{} = {}", flat, factored);
}

void add_verdict(const tile::CheckedProgram& program, const Ledger& ledger, Report& report) {
  report.verdict.push_back(fmt::format("{} moves {} bytes ({})", program->name,
                                       bytes_text(grand_total(ledger).value),
                                       ledger.provenance.at("scope")));
  const tile::Cost cost = tile::cost_of(program);
  report.verdict.push_back(fmt::format("global memory, whole grid: {}; without writing outputs: {}",
                                       bytes_text(cost.global),
                                       bytes_text(cost.global - cost.output_writes)));
}

Result<Answer> cost(const TileOptions& options) {
  Answer answer{.report = {.command = "tile cost"}};
  std::vector<Ledger> by_tensor;
  for (const std::string& file : options.files) {
    WL_TRY(const tile::CheckedProgram program, read(file, options));
    const Ledger ledger = tile::ledger_of(program, scope_of(options));
    add_verdict(program, ledger, answer.report);
    answer.report.tables.push_back(tile::cost_table(ledger));
    WL_TRY_STATUS(add_capacity(program, options, answer.report));
    by_tensor.push_back(tile::ledger_by_tensor(program, scope_of(options)));
    if (!options.ledger.empty()) WL_TRY_STATUS(write_file(options.ledger, to_json(ledger)));
  }
  if (by_tensor.size() == 2 && sizes_of(by_tensor[0]).empty() && sizes_of(by_tensor[1]).empty()) {
    answer.report.verdict.push_back("the second moves " +
                                    tile::exchange_text(by_tensor[0], by_tensor[1]));
  }
  return answer;
}

Result<std::vector<tile::Rule>> rules_of(const std::string& words) {
  if (words == "all") return tile::all_rules();
  if (words == "staged") return tile::staged_rules();
  if (words == "fusion") return tile::fusion_rules();
  std::vector<tile::Rule> rules;
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find(',', at), words.size());
    const std::string name = words.substr(at, end - at);
    const size_t before = rules.size();
    for (const tile::Rule& rule : tile::all_rules()) {
      if (rule.name == name) rules.push_back(rule);
    }
    if (rules.size() == before) {
      return Diagnostic{fmt::format("unknown rule '{}'", name),
                        did_you_mean(name, tile::rule_names()), "unknown-rule"};
    }
    at = end + 1;
  }
  return rules;
}

Result<tile::SearchOptions> search_options(const TileOptions& options) {
  tile::SearchOptions search;
  WL_TRY(search.rules, rules_of(options.rules));
  search.objective =
      options.minimize == "global" ? tile::Objective::kGlobal : tile::Objective::kTotal;
  search.limit = static_cast<size_t>(options.limit);
  if (options.bound > 0) search.bound = options.bound;
  if (!options.gpu.empty()) {
    WL_TRY(search.gpu, load_gpu(options.gpu));
  }
  return search;
}

/// Why the output's declaration matters, where the program could use it.
void add_remarks(const tile::Program& program, const tile::Optimum& found, Report& report) {
  for (const tile::Tensor& tensor : program.tensors) {
    if (tensor.role != tile::Role::kOutput || tensor.shape.size() < 3) continue;
    if (tensor.summed) {
      report.remarks.push_back(fmt::format(
          "{} is declared summed over {}: only the sum of its tiles is observed, so they may be "
          "added in registers and stored once. Without the declaration each tile is an output of "
          "its own and must be stored.",
          tensor.name, tensor.shape.front().to_text()));
    } else {
      report.remarks.push_back(fmt::format(
          "every tile of {} is an output of its own. If only their sum is read, declare it: output "
          "{}[...] {} summed over {}",
          tensor.name, tensor.name, tensor.type.name, tensor.shape.front().to_text()));
    }
  }
  if (found.best_score.is_too_large) {
    report.remarks.push_back("no program reached by the rules fits the GPU; try smaller blocks");
  }
}

/// `--set` values steer the search; the program itself keeps its symbols.
Result<Answer> optimize(const TileOptions& options) {
  WL_TRY(const tile::CheckedProgram program, tile::load(options.files.front()));
  WL_TRY(tile::SearchOptions search, search_options(options));
  WL_TRY(search.sizes, tile::parse_sizes(options.set));
  WL_TRY(const tile::CheckedProgram sized, tile::with_sizes(program, search.sizes));
  WL_TRY(const tile::Optimum found, tile::optimize(program, search));
  WL_TRY(const tile::CheckedProgram best, tile::with_sizes(found.best, search.sizes));
  Answer answer{.report = {.command = "tile optimize"}};
  Report& report = answer.report;
  report.verdict.push_back(tile::certificate(found, search.objective));
  report.verdict.push_back(fmt::format(
      "{} -> {} bytes; over all edges {}", group_thousands(found.start_score.bytes),
      group_thousands(found.best_score.bytes),
      tile::exchange_text(tile::ledger_by_tensor(sized), tile::ledger_by_tensor(best))));
  if (found.start_score.is_too_large && !found.best_score.is_too_large) {
    report.verdict.push_back("the original program does not fit the GPU; the best one does");
  }
  report.tables.push_back(tile::derivation_table(found));
  report.tables.push_back(tile::cost_table(tile::ledger_of(found.best)));
  WL_TRY_STATUS(add_capacity(best, options, report));
  add_remarks(program, found, report);
  if (!options.save.empty()) WL_TRY_STATUS(write_file(options.save, to_text(found.best)));
  return answer;
}

Result<Answer> run(const TileOptions& options) {
  WL_TRY(const tile::CheckedProgram program, read(options.files.front(), options));
  WL_TRY(const tile::RunInput input, tile::random_input(program, program->known_sizes(), 1));
  WL_TRY(const tile::Run run, tile::interpret(program, input));
  std::map<Edge, int64_t> counted;
  for (const auto& [spaces, bytes] : run.bytes) {
    counted[{tile::level_of(spaces.first), tile::level_of(spaces.second)}] += bytes;
  }
  const auto predicted = edge_totals(tile::ledger_of(program));
  Table table{.title = "Bytes moved by " + program->name};
  table.columns = {{"Edge", "edge"},
                   {"Counted", "counted_bytes", Align::kRight},
                   {"Ledger", "ledger_bytes", Align::kRight}};
  for (const auto& [edge, bytes] : counted) {
    table.rows.push_back(
        {{to_text(edge), Cell(bytes, Fidelity::kExact),
          Cell(predicted.at(edge).value.as_integer().value_or(-1), Fidelity::kExact)}});
  }
  return Answer{.report = {.command = "tile run", .tables = {table}}};
}

Answer rules() {
  Table table{.title = "Rules",
              .columns = {{"Rule", "rule"}, {"Staged", "staged"}, {"Law", "law"}}};
  for (const tile::Rule& rule : tile::all_rules()) {
    table.rows.push_back({{rule.name, rule.is_staged ? "yes" : "no", rule.law}});
  }
  table.notes.push_back(
      "Staged rules keep every global access going through shared memory (--rules staged).");
  return {.report = {.command = "tile rules", .tables = {table}}};
}

using Work = Result<Answer> (*)(const TileOptions&);

Command add(Command& parent, Session& session, const char* name, const char* summary,
            const char* examples, Work work, const std::shared_ptr<TileOptions>& options) {
  Command command = add_command(parent, name, summary, examples);
  add_output_options(*command, options->output);
  command->callback([&session, options, work] {
    const Result<Answer> answer = work(*options);
    if (!answer) return fail(session, answer.error());
    print(session, options->output, *answer);
  });
  return command;
}

void add_sizes(Command& command, TileOptions& options, int most) {
  command.add_option("file", options.files, "a .tile program")->required()->expected(1, most);
  command.add_option("--set", options.set, "values of sizes: N=8192,d=128");
}

}  // namespace

void add_tile(Command& app, Session& session) {
  Command tile = add_command(
      app, "tile", "count the bytes of a kernel sketch, and find a sketch that moves fewer",
      "  warpledger tile cost tiles/attention_flash.tile\n"
      "  warpledger tile optimize tiles/attention_tile_naive.tile");
  tile->require_subcommand(1);
  // Shared by the callbacks, which outlive this function: CLI11 fills it when it parses.
  const auto options = std::make_shared<TileOptions>();

  Command cost_command = add(*tile, session, "cost", "print the ledger of one or two programs",
                             "  warpledger tile cost tiles/attention_flash.tile --set N=4096,d=64"
                             ",Br=64,Bc=64 --gpu h100",
                             cost, options);
  add_sizes(*cost_command, *options, 2);
  cost_command->add_option("--per", options->per, "bytes of one block, or of the whole grid")
      ->one_of({"block", "grid"})
      ->capture_default_str();
  cost_command->add_option("--gpu", options->gpu, "check that the program fits this GPU");
  cost_command->add_option("--ledger", options->ledger, "write the ledger as JSON to this file");

  Command best =
      add(*tile, session, "optimize", "find the program that moves the fewest bytes",
          "  warpledger tile optimize tiles/attention_tile_naive.tile --rules staged\n"
          "  warpledger tile optimize tiles/attention_naive.tile --rules fusion --bound 1 "
          "--minimize global --gpu h100 --set N=4096,d=64,Br=64,Bc=64",
          optimize, options);
  add_sizes(*best, *options, 1);
  best->add_option("--rules", options->rules, "all, staged, fusion, or names: hoist,store-direct")
      ->capture_default_str();
  best->add_option("--minimize", options->minimize, "bytes over all edges, or global bytes alone")
      ->one_of({"total", "global"})
      ->capture_default_str();
  best->add_option("--gpu", options->gpu, "the program must fit this GPU");
  best->add_option("--limit", options->limit,
                   "programs to visit before the search continues best-first")
      ->between(1, 1000000)
      ->capture_default_str();
  best->add_option("--bound", options->bound,
                   "prune programs that move more than this multiple of the original bytes");
  best->add_option("--save", options->save, "write the best program to this file");

  Command run_command =
      add(*tile, session, "run", "run the program on random numbers and count the bytes",
          "  warpledger tile run tiles/attention_flash.tile --set N=16,d=4,Br=4"
          ",Bc=4",
          run, options);
  add_sizes(*run_command, *options, 1);

  add(
      *tile, session, "rules", "list the rewrite rules that optimize uses",
      "  warpledger tile rules", [](const TileOptions&) { return Result<Answer>(rules()); },
      options);
}

}  // namespace warpledger::cli
