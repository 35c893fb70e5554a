// Layouts: which lane and register holds which element; bank conflicts of moving them.
#include "python/src/convert.h"
#include "warpledger/layout/banks/tile_access.h"
#include "warpledger/layout/notation/notation.h"
#include "warpledger/layout/resolve.h"

namespace warpledger::python {
namespace {

constexpr int64_t kMostPoints = int64_t{1} << 20;

Result<ResolveOptions> options_of(const std::string& arch, int rows, int cols, int elements) {
  ResolveOptions options{.rows = rows, .cols = cols, .elements = elements};
  if (!arch.empty()) {
    WL_TRY(options.arch, parse_arch(arch));
  }
  return options;
}

nb::list dims_of(const Space& space) {
  nb::list list;
  for (const Dim& dim : space.dims()) list.append(nb::make_tuple(dim.name, dim.size));
  return list;
}

nb::object notations(const Layout& layout) {
  const Fit fitted = fit(layout);
  nb::dict dict;
  dict["is_linear"] = fitted.map.has_value() && fitted.offset == 0;
  dict["bases"] = nb::none();
  dict["cute"] = nb::none();
  dict["formula"] = nb::none();
  if (!fitted.map || fitted.offset != 0) return dict;
  dict["bases"] = notation::print_bases(*fitted.map);
  dict["formula"] = notation::print_formula(*fitted.map);
  const auto cute = notation::print_cute(*fitted.map);
  if (cute) dict["cute"] = *cute;
  return dict;
}

nb::dict layout(const std::string& text, const std::string& arch, int rows, int cols,
                int elements) {
  const ResolveOptions options = take(options_of(arch, rows, cols, elements));
  const Layout found = take(resolve_layout(text, options));
  if (found.from().size() > kMostPoints) {
    raise({.message = "the layout has more than 1,048,576 points", .code = "too-large"});
  }
  std::vector<uint64_t> values;
  for (int64_t x = 0; x < found.from().size(); ++x)
    values.push_back(found(static_cast<uint64_t>(x)));
  nb::dict dict;
  dict["inputs"] = dims_of(found.from());
  dict["outputs"] = dims_of(found.to());
  dict["values"] = values;
  dict["is_injective"] = found.is_injective();
  dict["notations"] = notations(found);
  const auto fragment = resolve_fragment(text, options);
  dict["source"] = fragment ? fragment->source : "";
  dict["fidelity"] = fragment ? std::string(to_text(fragment->fidelity)) : "exact";
  return dict;
}

nb::dict banks(const std::string& text, const std::string& arch, int elements,
               const std::string& tile_text, int element_bytes, int bytes) {
  const ResolveOptions options = take(options_of(arch, 0, 0, elements));
  const Layout found = take(resolve_layout(text, options));
  const SharedTile tile = take(read_tile(tile_text, element_bytes));
  const std::vector<SharedAccess> accesses = take(tile_accesses(found, tile, bytes));
  nb::list list, remedies;
  for (const SharedAccess& access : accesses) {
    const BankReport report = take(count_conflicts(access));
    list.append(nb::make_tuple(report.total(), report.conflicts(), access.bytes));
  }
  for (const Remedy& remedy : propose_remedies(accesses)) {
    remedies.append(nb::make_tuple(remedy.text, remedy.wavefronts, remedy.extra_bytes));
  }
  nb::dict dict;
  dict["accesses"] = list;
  dict["remedies"] = remedies;
  return dict;
}

}  // namespace

void add_layout(nb::module_& module) {
  module.def("layout", &layout, nb::arg("text"), nb::arg("arch"), nb::arg("rows"), nb::arg("cols"),
             nb::arg("elements"));
  module.def("banks", &banks, nb::arg("text"), nb::arg("arch"), nb::arg("elements"),
             nb::arg("tile"), nb::arg("element_bytes"), nb::arg("bytes"));
  module.def("fragments",
             [](const std::string& arch) { return fragment_names(take(parse_arch(arch))); });
}

}  // namespace warpledger::python
