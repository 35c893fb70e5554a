// The page of `study gemm`: an overview of the ladder before the reports of its steps.
#include <fmt/core.h>

#include "examples/studies/gemm.h"
#include "warpledger/render/html.h"
#include "warpledger/report/report.h"

namespace warpledger::study {
std::string gemm_page(const std::vector<GemmResult>& results, const Table& table,
                      const Drawing& bars) {
  std::vector<profile::Profile> profiles;
  for (const GemmResult& one : results) profiles.push_back(one.profile);
  Document document =
      report::document_of(profiles, {{"gemm_ladder.cu", report::lines_of(gemm_source())}});
  document.title = fmt::format("The GEMM ladder, n = {}, {}", results.front().n,
                               results.front().profile.gpu.name);
  Page overview{.title = "The ladder"};
  overview.panels.push_back(
      {.title = "What each step does to each edge",
       .blocks = {
           Illustration{
               .name = "bytes", .title = "Bytes over each edge", .wide = bars, .data = table},
           table, Prose{gemm_sentences(results)}}});
  // The overview stands first; the list leads to the steps behind it.
  Row row{.cells = std::vector<Cell>(document.index.columns.size())};
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (document.index.columns[i].align == Align::kLeft) {
      row.cells[i] = "overview";
      break;
    }
  }
  if (!document.index.rows.empty()) {
    document.index.rows.insert(document.index.rows.begin(), std::move(row));
  }
  document.pages.insert(document.pages.begin(), std::move(overview));
  return to_html(document);
}

}  // namespace warpledger::study
