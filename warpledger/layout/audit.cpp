#include "warpledger/layout/audit.h"

#include <fmt/core.h>

#include "warpledger/layout/notation/notation.h"

namespace warpledger {
namespace {

bool is_b(const Fragment& fragment) { return fragment.name.find(".B.") != std::string::npos; }

/// Threads and values as one layout on (thread, register), whatever the notation.
Result<Layout> read_claim(const Fragment& fragment, const std::string& text) {
  notation::Reading reading;
  reading.modes = {"lane", "register"};
  const bool cute = notation::kind_of(text) == notation::Kind::kCute;
  reading.from = Space({{"register", fragment.elements}, {"lane", fragment.threads()}});
  reading.to = cute && is_b(fragment) ? Space({{"col", fragment.cols}, {"row", fragment.rows}})
                                      : Space({{"row", fragment.rows}, {"col", fragment.cols}});
  return notation::read(Source("layout", text), reading);
}

std::string place_text(const std::vector<int64_t>& at) {
  return fmt::format("({}, {})", at[0], at[1]);
}

std::string corrected_text(const Fragment& fragment, const std::string& text) {
  switch (notation::kind_of(text)) {
    case notation::Kind::kBases:
      return notation::print_bases(fragment.map);
    case notation::Kind::kFormula:
      return notation::print_formula(fragment.map);
    case notation::Kind::kCute:
      break;
  }
  LinearMap map = restrict_inputs(fragment.map, {"lane", "register"});
  if (is_b(fragment)) map = reorder_outputs(map, {"col", "row"});
  return notation::print_cute(map).value_or("");
}

}  // namespace

Result<AuditFinding> audit(const Fragment& fragment, const std::string& text) {
  WL_TRY(const Layout claim, read_claim(fragment, text));
  const auto lane = claim.from().find("lane"), element = claim.from().find("register");
  const auto row = claim.to().find("row"), col = claim.to().find("col");
  if (!lane || !element || !row || !col || claim.from().size_of("lane") != fragment.threads() ||
      claim.from().size_of("register") != fragment.elements) {
    return Diagnostic{
        .message = fmt::format("the layout maps {}, the fragment has {} threads of {} elements",
                               to_text(claim.from()), fragment.threads(), fragment.elements),
        .code = "layout-mismatch"};
  }
  AuditFinding finding;
  const std::vector<ElementPlace> places = element_places(fragment);
  for (int64_t thread = 0; thread < fragment.threads(); ++thread) {
    for (int64_t i = 0; i < fragment.elements; ++i) {
      std::vector<int64_t> point(2);
      point[*lane] = thread;
      point[*element] = i;
      const std::vector<int64_t> at = claim.at(point);
      const ElementPlace& place = places[static_cast<size_t>(thread * fragment.elements + i)];
      const std::vector<int64_t> ours = {place.row, place.col}, theirs = {at[*row], at[*col]};
      ++finding.points;
      if (ours == theirs) continue;
      if (finding.differences++ == 0) {
        finding.first = fmt::format("thread {} element {} is {}, the layout says {}", thread, i,
                                    place_text(ours), place_text(theirs));
      }
    }
  }
  if (finding.differences > 0) finding.corrected = corrected_text(fragment, text);
  return finding;
}

}  // namespace warpledger
