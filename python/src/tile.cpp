// Tile programs: what they move, whether they fit, which one moves less.
#include "python/src/convert.h"
#include "warpledger/ledger/json.h"
#include "warpledger/tile/capacity.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/parser.h"
#include "warpledger/tile/rewrite/search.h"

namespace warpledger::python {
namespace {

using GivenSizes = std::map<std::string, int64_t>;

Result<Sizes> sizes_of(const GivenSizes& given) {
  std::string text;
  for (const auto& [name, value] : given) {
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  }
  return tile::parse_sizes(text);
}

Result<tile::CheckedProgram> read(const std::string& name, const std::string& text) {
  WL_TRY(tile::Program program, tile::parse(name, text));
  return tile::check(std::move(program));
}

nb::object amount(const Expression& value) {
  if (const auto n = value.as_integer()) return nb::int_(*n);
  return nb::cast(value.to_text());
}

void add_needs(const tile::CheckedProgram& program, const Gpu& gpu, nb::dict& dict) {
  const auto needs = take(tile::needs_of(program, program->known_sizes(), gpu));
  bool fits = true;
  for (const tile::Need& need : needs) fits = fits && need.fits();
  dict["fits"] = fits;
  dict["capacity"] = to_python(tile::capacity_table(needs, gpu.name));
}

nb::dict describe(const tile::CheckedProgram& program, const std::optional<std::string>& gpu,
                  bool block) {
  const Ledger ledger =
      tile::ledger_of(program, block ? tile::LedgerScope::kBlock : tile::LedgerScope::kGrid);
  const tile::Cost cost = tile::cost_of(program);
  nb::dict dict, edges;
  for (const auto& [edge, figure] : edge_totals(ledger)) {
    edges[to_text(edge).c_str()] = amount(figure.value);
  }
  dict["name"] = program->name;
  dict["text"] = tile::to_text(program);
  dict["total"] = amount(grand_total(ledger).value);
  dict["global_bytes"] = amount(cost.global);
  dict["edges"] = edges;
  dict["table"] = to_python(tile::cost_table(ledger));
  dict["ledger"] = to_json(ledger);
  dict["fits"] = nb::none();
  dict["capacity"] = nb::none();
  if (gpu) add_needs(program, take(load_gpu(*gpu)), dict);
  return dict;
}

nb::dict cost(const std::string& name, const std::string& text, const GivenSizes& given,
              const std::optional<std::string>& gpu, bool block) {
  const Sizes sizes = take(sizes_of(given));
  const tile::CheckedProgram program = take(tile::with_sizes(take(read(name, text)), sizes));
  return describe(program, gpu, block);
}

Result<std::vector<tile::Rule>> rules_of(const std::string& word) {
  if (word == "all") return tile::all_rules();
  if (word == "staged") return tile::staged_rules();
  if (word == "fusion") return tile::fusion_rules();
  return Diagnostic{.message = "'" + word + "' is not a set of rules",
                    .hint = "all, staged or fusion",
                    .code = "unknown-rule"};
}

nb::dict optimize(const std::string& name, const std::string& text, const GivenSizes& given,
                  const std::optional<std::string>& gpu, const std::string& rules,
                  const std::string& minimize, size_t limit) {
  tile::SearchOptions search{.rules = take(rules_of(rules)), .sizes = take(sizes_of(given))};
  search.objective = minimize == "global" ? tile::Objective::kGlobal : tile::Objective::kTotal;
  search.limit = limit;
  if (gpu) search.gpu = take(load_gpu(*gpu));
  const tile::CheckedProgram program = take(read(name, text));
  std::optional<Result<tile::Optimum>> found;
  {
    const nb::gil_scoped_release unlocked;
    found.emplace(tile::optimize(program, search));
  }
  const tile::Optimum best = take(*std::move(found));
  nb::dict dict = describe(take(tile::with_sizes(best.best, search.sizes)), gpu, false);
  dict["certificate"] = tile::certificate(best, search.objective);
  dict["derivation"] = to_python(tile::derivation_table(best));
  dict["bytes_before"] = best.start_score.bytes;
  dict["bytes_after"] = best.best_score.bytes;
  dict["is_optimal"] = best.is_closed;
  dict["text"] = tile::to_text(best.best);
  return dict;
}

}  // namespace

void add_tile(nb::module_& module) {
  module.def("tile_cost", &cost, nb::arg("name"), nb::arg("text"), nb::arg("sizes"),
             nb::arg("gpu").none(), nb::arg("block"));
  module.def("tile_optimize", &optimize, nb::arg("name"), nb::arg("text"), nb::arg("sizes"),
             nb::arg("gpu").none(), nb::arg("rules"), nb::arg("minimize"), nb::arg("limit"));
}

}  // namespace warpledger::python
