#include "warpledger/compare/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/compare/plan_words.h"
#include "warpledger/ledger/table.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/tensor_bytes.h"

namespace warpledger::match {
namespace {

Result<int64_t> at_sizes(const Expression& bytes, const Sizes& sizes) {
  WL_TRY(const Expression value, bytes.evaluate(sizes));
  const auto whole = value.as_integer();
  if (!whole) {
    return Diagnostic{.message = fmt::format("{} is not a whole number of bytes", bytes.to_text()),
                      .code = "not-whole"};
  }
  return *whole;
}

bool same_name(const std::string& a, const std::string& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

template <class Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

template <class Named>
Diagnostic unknown(const std::vector<Named>& all, const std::string& name, const char* where) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return {
      .message = fmt::format("--map: the {} has no '{}', only {}", where, name,
                             names.empty() ? "totals" : fmt::format("{}", fmt::join(names, ", "))),
      .hint = did_you_mean(name, names),
      .code = "bad-map"};
}

Status check_names(const Plan& plan, const KernelTraffic& kernel, const NameMap& names) {
  for (const auto& [tensor, array] : names) {
    if (!find_named(plan.tensors, tensor)) return unknown(plan.tensors, tensor, "plan");
    if (!find_named(kernel.arrays, array)) return unknown(kernel.arrays, array, "kernel");
  }
  return {};
}

const ArrayTraffic* partner(const PlanTensor& tensor, const KernelTraffic& kernel,
                            const NameMap& names) {
  const auto mapped = names.find(tensor.name);
  if (mapped != names.end()) return find_named(kernel.arrays, mapped->second);
  if (const ArrayTraffic* same = find_named(kernel.arrays, tensor.name)) return same;
  for (const ArrayTraffic& array : kernel.arrays) {
    const bool taken = std::any_of(names.begin(), names.end(),
                                   [&](const auto& pair) { return pair.second == array.name; });
    if (!taken && same_name(array.name, tensor.name)) return &array;
  }
  return nullptr;
}

Cell cell(const std::optional<Figure>& figure) { return figure ? cell_of(*figure) : Cell(); }

Cell ratio_cell(const std::optional<Figure>& part, int64_t whole) {
  if (!part || whole == 0) return {};
  const double times = to_double(part->value) / static_cast<double>(whole);
  return {fmt::format("{:.2f}", times), times, part->fidelity};
}

Cell exact(int64_t n) { return {n, Fidelity::kExact}; }

Table arrays_table() {
  return {.title = "Arrays",
          .columns = {{"Plan", "plan"},
                      {"Kernel", "kernel"},
                      {"Way", "way"},
                      {"Size", "array_bytes", Align::kRight},
                      {"Plan moves", "plan_bytes", Align::kRight},
                      {"Threads ask", "requested_bytes", Align::kRight},
                      {"L1 - L2", "l2_bytes", Align::kRight},
                      {"L2 - DRAM", "dram_bytes", Align::kRight},
                      {"Plan, times", "plan_times", Align::kRight},
                      {"Asked, times", "requested_times", Align::kRight},
                      {"L2, times", "l2_times", Align::kRight},
                      {"DRAM, times", "dram_times", Align::kRight}}};
}

struct Way {
  const char* name;
  int64_t planned;
  Traffic traffic;
};

void add_row(Table& table, const Way& way, const PlanTensor* tensor, const ArrayTraffic* array) {
  const int64_t planned = tensor != nullptr ? tensor->bytes : 0;
  const int64_t size = array != nullptr && array->bytes ? *array->bytes : planned;
  const std::optional<Figure> moved =
      tensor != nullptr ? std::optional<Figure>(Figure{Amount(way.planned), Fidelity::kExact})
                        : std::nullopt;
  table.rows.push_back(
      {{tensor != nullptr ? Cell(tensor->name) : Cell(),
        array != nullptr ? Cell(array->name) : Cell(), way.name, size > 0 ? exact(size) : Cell(),
        cell(moved), cell(way.traffic.requested), cell(way.traffic.l2), cell(way.traffic.dram),
        ratio_cell(moved, planned), ratio_cell(way.traffic.requested, size),
        ratio_cell(way.traffic.l2, size), ratio_cell(way.traffic.dram, size)}});
}

bool has_any(const Traffic& traffic) { return traffic.requested || traffic.l2 || traffic.dram; }

void add_rows(Table& table, const PlanTensor* tensor, const ArrayTraffic* array) {
  const Way read{"read", tensor ? tensor->read : 0, array ? array->read : Traffic()};
  const Way written{"written", tensor ? tensor->written : 0, array ? array->written : Traffic()};
  for (const Way& way : {read, written}) {
    if (way.planned > 0 || has_any(way.traffic)) add_row(table, way, tensor, array);
  }
}

void add_edge(Table& table, const char* edge, const std::optional<Figure>& planned,
              const std::optional<Figure>& found) {
  if (!planned && !found) return;
  Cell ratio;
  if (planned && found && !planned->value.is_zero()) {
    const double times = to_double(found->value) / to_double(planned->value);
    ratio = {fmt::format("{:.2f}", times), times, weakest(planned->fidelity, found->fidelity)};
  }
  table.rows.push_back({{edge, cell(planned), cell(found), ratio}});
}

Table edges_table(const Plan& plan, const KernelTraffic& kernel) {
  Table table{.title = "Edges",
              .columns = {{"Edge", "edge"},
                          {"Plan", "plan_bytes", Align::kRight},
                          {"Kernel", "kernel_bytes", Align::kRight},
                          {"Kernel / plan", "ratio", Align::kRight}}};
  Figure read, written;
  for (const PlanTensor& tensor : plan.tensors) {
    read = read + Figure{Amount(tensor.read), Fidelity::kExact};
    written = written + Figure{Amount(tensor.written), Fidelity::kExact};
  }
  add_edge(table, "global -> threads, asked", read, kernel.read.requested);
  add_edge(table, "L2 -> L1", read, kernel.read.l2);
  add_edge(table, "DRAM -> L2", read, kernel.read.dram);
  add_edge(table, "threads -> global, asked", written, kernel.written.requested);
  add_edge(table, "L1 -> L2", written, kernel.written.l2);
  add_edge(table, "L2 -> DRAM", written, kernel.written.dram);
  add_edge(table, "shared -> registers", plan.shared_read, kernel.shared_read);
  add_edge(table, "into shared", plan.shared_written, kernel.shared_written);
  table.notes.push_back(
      "A plan does not model caches, so its global bytes are compared with each of the kernel's "
      "three edges.");
  return table;
}

}  // namespace

Result<std::pair<std::string, std::string>> parse_pair(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return Diagnostic{.message = fmt::format("'{}' is not of the form PLAN=KERNEL", text),
                      .hint = "--map O=out says that the plan's O is the kernel's array out",
                      .code = "bad-map"};
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<Plan> plan_of(const tile::CheckedProgram& program) {
  const Sizes sizes = program->known_sizes();
  Plan plan{.title = program->name};
  for (const tile::TensorBytes& one : tile::tensor_bytes(program)) {
    PlanTensor tensor{.name = one.tensor};
    WL_TRY(tensor.bytes, at_sizes(one.size, sizes));
    WL_TRY(tensor.read, at_sizes(one.read, sizes));
    WL_TRY(tensor.written, at_sizes(one.written, sizes));
    tensor.read_times = times_words({one.read, one.size, one.readers}, sizes);
    tensor.written_times = times_words({one.written, one.size, one.writers}, sizes);
    plan.tensors.push_back(std::move(tensor));
  }
  for (const auto& [edge, bytes] : edge_totals(tile::ledger_of(program))) {
    if (edge.from == Level::kSmem && edge.to != Level::kDram) {
      plan.shared_read = plan.shared_read + bytes;
    }
    if (edge.to == Level::kSmem) plan.shared_written = plan.shared_written + bytes;
  }
  return plan;
}

Result<PlanComparison> compare_plan(const Plan& plan, const KernelTraffic& kernel,
                                    const NameMap& names) {
  WL_TRY_STATUS(check_names(plan, kernel, names));
  PlanComparison result;
  Table table = arrays_table();
  std::vector<const ArrayTraffic*> matched;
  for (const PlanTensor& tensor : plan.tensors) {
    const ArrayTraffic* array = partner(tensor, kernel, names);
    matched.push_back(array);
    add_rows(table, &tensor, array);
    if (kernel.arrays.empty()) continue;  // a report: totals alone
    for (std::string& words : sentences_of(tensor, array)) result.sentences.push_back(words);
  }
  for (const ArrayTraffic& array : kernel.arrays) {
    if (std::find(matched.begin(), matched.end(), &array) != matched.end()) continue;
    add_rows(table, nullptr, &array);
    result.sentences.push_back(fmt::format("{}: in the kernel only", array.name));
  }
  for (std::string& words : sentences_of(plan, kernel))
    result.sentences.push_back(std::move(words));
  if (!kernel.arrays.empty()) result.tables.push_back(std::move(table));
  result.tables.push_back(edges_table(plan, kernel));
  return result;
}

}  // namespace warpledger::match
