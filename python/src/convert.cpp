#include "python/src/convert.h"

#include <fmt/core.h>

namespace warpledger::python {

void raise(const Diagnostic& diagnostic) {
  const nb::object error = nb::module_::import_("warpledger._error").attr("Error");
  std::string where;
  if (diagnostic.at) {
    where =
        fmt::format("{}:{}:{}", diagnostic.at->file, diagnostic.at->line, diagnostic.at->column);
  }
  const nb::object made =
      error(diagnostic.message, diagnostic.hint, diagnostic.code, where, to_text(diagnostic));
  PyErr_SetObject(error.ptr(), made.ptr());
  throw nb::python_error();
}

nb::object to_python(const RawValue& raw) {
  if (const auto* n = std::get_if<int64_t>(&raw)) return nb::int_(*n);
  if (const auto* x = std::get_if<double>(&raw)) return nb::float_(*x);
  if (const auto* s = std::get_if<std::string>(&raw)) return nb::str(s->c_str(), s->size());
  return nb::none();
}

nb::object to_python(const Table& table) {
  nb::list columns, rows;
  for (const Column& column : table.columns) {
    columns.append(nb::make_tuple(column.name, column.key, column.align == Align::kRight));
  }
  for (const Row& row : table.rows) {
    nb::list cells;
    for (const Cell& cell : row.cells) {
      const nb::object fidelity =
          cell.fidelity ? nb::cast(std::string(to_text(*cell.fidelity))) : nb::none();
      cells.append(nb::make_tuple(cell.text, to_python(cell.raw), fidelity));
    }
    rows.append(cells);
  }
  return nb::make_tuple(table.title, columns, rows, table.notes);
}

nb::list to_python(const std::vector<Table>& tables) {
  nb::list list;
  for (const Table& table : tables) list.append(to_python(table));
  return list;
}

}  // namespace warpledger::python

NB_MODULE(_core, module) {
  using namespace warpledger::python;
  module.attr("version") = WL_VERSION;
  add_profile(module);
  add_gpu(module);
  add_tile(module);
  add_plan(module);
  add_layout(module);
}
