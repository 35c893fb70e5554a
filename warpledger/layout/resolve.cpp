#include "warpledger/layout/resolve.h"

#include "warpledger/layout/catalog/matrix_moves.h"
#include "warpledger/layout/notation/notation.h"

namespace warpledger {
namespace {

bool is_fragment_name(std::string_view text) {
  return text.starts_with("mma.") || text.starts_with("wmma.") || text.starts_with("wgmma.");
}

bool is_move_name(std::string_view text) {
  return text.starts_with("ldmatrix") || text.starts_with("stmatrix") ||
         text.starts_with("movmatrix") || text.starts_with("tcgen05.");
}

/// Matrices of an ldmatrix stand side by side, as further columns.
Fragment fragment_of(const MatrixMove& move) {
  const Space& to = move.map.to();
  const int64_t rows = to.size_of("row");
  const int64_t cols = to.size_of("col") * to.size_of("matrix");
  Fragment fragment{.name = move.name,
                    .map = reshape_outputs(move.map, Space({{"row", rows}, {"col", cols}})),
                    .rows = static_cast<int>(rows),
                    .cols = static_cast<int>(cols),
                    .element_bits = move.element_bits,
                    .first_arch = move.first_arch,
                    .source = move.source};
  fragment.elements = static_cast<int>(fragment.map.from().size_of("register"));
  return fragment;
}

Result<Layout> read_written(const std::string& text, const ResolveOptions& options) {
  notation::Reading reading;
  reading.modes = {"lane", "register"};
  const auto kind = notation::kind_of(text);
  if (kind == notation::Kind::kFormula) {
    if (options.elements < 1) {
      return Diagnostic{.message = "a formula does not say how many elements a lane holds",
                        .hint = "give --elements",
                        .code = "layout-needs-size"};
    }
    reading.from = Space({{"register", options.elements}, {"lane", 32}});
  }
  if (options.rows > 0 && options.cols > 0) {
    reading.to = Space({{"row", options.rows}, {"col", options.cols}});
  }
  if (kind == notation::Kind::kCute && !reading.to) {
    return Diagnostic{.message = "a (shape):(stride) layout does not say how wide its tensor is",
                      .hint = "give --shape ROWSxCOLS, or name a fragment",
                      .code = "layout-needs-size"};
  }
  return notation::read(Source("layout", text), reading);
}

/// (lane, register) of CuTe becomes (register, lane), as everywhere else.
Layout registers_first(const Layout& layout) {
  if (layout.from().dims().size() < 2 || layout.from().dims()[0].name != "lane") return layout;
  if (const LinearMap* map = layout.linear()) {
    return Layout(restrict_inputs(*map, {"register", "lane"}));
  }
  const Space from({layout.from().dims()[1], layout.from().dims()[0]});
  return Layout::tabulate(from, layout.to(), [&](const std::vector<int64_t>& at) {
    return layout.at({at[1], at[0]});
  });
}

}  // namespace

Result<Layout> resolve_layout(const std::string& text, const ResolveOptions& options) {
  if (is_fragment_name(text) || is_move_name(text)) {
    WL_TRY(const Fragment fragment, resolve_fragment(text, options));
    return Layout(fragment.map);
  }
  WL_TRY(const Layout written, read_written(text, options));
  return registers_first(written);
}

Result<Fragment> resolve_fragment(const std::string& text, const ResolveOptions& options) {
  if (is_fragment_name(text)) return find_fragment(text, options.arch);
  if (is_move_name(text)) {
    WL_TRY(const MatrixMove move, find_matrix_move(text));
    return fragment_of(move);
  }
  WL_TRY(const Layout layout, resolve_layout(text, options));
  WL_TRY(LinearMap map, require_linear(layout));
  Fragment fragment{.name = text,
                    .map = std::move(map),
                    .element_bits = 32,
                    .source = "as written",
                    .fidelity = Fidelity::kExact};
  if (!fragment.map.to().find("row") || !fragment.map.to().find("col") ||
      !fragment.map.from().find("lane") || !fragment.map.from().find("register")) {
    return Diagnostic{.message = "a fragment maps (register, lane) to (row, col)",
                      .code = "bad-layout"};
  }
  fragment.rows = static_cast<int>(fragment.map.to().size_of("row"));
  fragment.cols = static_cast<int>(fragment.map.to().size_of("col"));
  fragment.elements = static_cast<int>(fragment.map.from().size_of("register"));
  return fragment;
}

}  // namespace warpledger
