#include "warpledger/layout/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpledger {
namespace {

constexpr int kBlock = 8;  // rows and columns between rules

int lanes_of(const Fragment& fragment) {
  return static_cast<int>(fragment.map.from().size_of("lane"));
}

/// All holders of all elements, indexed by row * cols + col.
std::vector<std::vector<Holder>> all_holders(const Fragment& fragment) {
  std::vector<std::vector<Holder>> holders(static_cast<size_t>(fragment.rows * fragment.cols));
  const std::vector<ElementPlace> places = element_places(fragment);
  for (size_t x = 0; x < places.size(); ++x) {
    const int thread = static_cast<int>(x) / fragment.elements;
    const int element = static_cast<int>(x) % fragment.elements;
    const auto at = static_cast<size_t>(places[x].row * fragment.cols + places[x].col);
    if (at < holders.size()) {
      holders[at].push_back({thread / lanes_of(fragment), thread % lanes_of(fragment), element});
    }
  }
  return holders;
}

/// "5", or "1,9" when several threads hold the element.
std::string lanes_text(const Fragment& fragment, const std::vector<Holder>& holders) {
  std::vector<int> threads;
  for (const Holder& holder : holders) {
    const int thread = holder.warp * lanes_of(fragment) + holder.lane;
    if (threads.empty() || threads.back() != thread) threads.push_back(thread);
  }
  return fmt::format("{}", fmt::join(threads, ","));
}

std::string register_text(const Fragment& fragment, int element) {
  if (fragment.element_bits >= 32) return fmt::format("{}", element * fragment.element_bits / 32);
  const int bit = element * fragment.element_bits;
  return fmt::format("{} bits {}-{}", bit / 32, bit % 32, bit % 32 + fragment.element_bits - 1);
}

}  // namespace

Result<std::vector<Holder>> holders_of(const Fragment& fragment, int row, int col) {
  if (row < 0 || row >= fragment.rows || col < 0 || col >= fragment.cols) {
    return Diagnostic{.message = fmt::format("({}, {}) is outside the {} x {} matrix of '{}'", row,
                                             col, fragment.rows, fragment.cols, fragment.name),
                      .code = "outside-matrix"};
  }
  return all_holders(fragment)[static_cast<size_t>(row * fragment.cols + col)];
}

Table holder_table(const Fragment& fragment, const std::vector<Holder>& holders) {
  Table table{.columns = {{"lane", "lane", Align::kRight},
                          {"element", "element", Align::kRight},
                          {"register", "register"}}};
  const bool warps = fragment.map.from().size_of("warp") > 1;
  if (warps) table.columns.insert(table.columns.begin(), {"warp", "warp", Align::kRight});
  for (const Holder& holder : holders) {
    Row row{.cells = {Cell(holder.lane, fragment.fidelity), Cell(holder.element, fragment.fidelity),
                      Cell(register_text(fragment, holder.element))}};
    if (warps) row.cells.insert(row.cells.begin(), Cell(holder.warp, fragment.fidelity));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string ownership_text(const Fragment& fragment, int columns) {
  const auto holders = all_holders(fragment);
  const int shown = std::min(columns, fragment.cols);
  size_t width = 3;
  for (const auto& cell : holders) width = std::max(width, lanes_text(fragment, cell).size());
  const auto line = [&](const std::string& head, const auto& cell_at) {
    std::string text = head;
    for (int c = 0; c < shown; ++c) {
      if (c % kBlock == 0) text += " |";
      text += fmt::format(" {:>{}}", cell_at(c), width);
    }
    return text + "\n";
  };
  const size_t label = fragment.rows > 100 ? 4 : 3;
  std::string rule(label, '-');
  for (int c = 0; c < shown; ++c)
    rule += std::string(c % kBlock == 0 ? "-+" : "") + std::string(width + 1, '-');
  std::string text = line(std::string(label, ' '), [](int c) { return fmt::format("C{:02}", c); });
  for (int r = 0; r < fragment.rows; ++r) {
    if (r % kBlock == 0) text += rule + "\n";
    text += line(fmt::format("R{:0{}}", r, label - 1), [&](int c) {
      return lanes_text(fragment, holders[static_cast<size_t>(r * fragment.cols + c)]);
    });
  }
  if (shown < fragment.cols) {
    text += fmt::format("[{} more columns; --export table.csv holds all]\n", fragment.cols - shown);
  }
  return text;
}

Table ownership_table(const Fragment& fragment) {
  Table table{.title = fragment.name + ": the lane of each element", .columns = {{"row", "row"}}};
  for (int c = 0; c < fragment.cols; ++c) {
    table.columns.push_back({fmt::format("C{:02}", c), fmt::format("c{:02}", c), Align::kRight});
  }
  const auto holders = all_holders(fragment);
  for (int r = 0; r < fragment.rows; ++r) {
    Row row{.cells = {Cell(fmt::format("R{:02}", r))}};
    for (int c = 0; c < fragment.cols; ++c) {
      row.cells.emplace_back(
          lanes_text(fragment, holders[static_cast<size_t>(r * fragment.cols + c)]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

/// Light colors that differ between neighboring quads; the number in the cell carries the
/// meaning.
Color lane_color(int lane) {
  const int quad = lane / 4 % 8;
  const int shade = 12 * (lane % 4);
  constexpr int kHues[8][3] = {{255, 226, 214}, {255, 243, 205}, {226, 246, 211}, {210, 244, 234},
                               {212, 233, 255}, {226, 222, 255}, {248, 219, 250}, {236, 236, 236}};
  return {kHues[quad][0] - shade, kHues[quad][1] - shade, kHues[quad][2] - shade};
}

}  // namespace

Drawing ownership_drawing(const Fragment& fragment) {
  constexpr double kCell = 30, kMargin = 34, kTop = 52;
  Drawing drawing{.width = kMargin + fragment.cols * kCell + 10,
                  .height = kTop + fragment.rows * kCell + 10};
  drawing.shapes.push_back(Text{
      {kMargin, 18}, fragment.name + ": lane, and element below it", 13, Anchor::kStart, {}, true});
  const auto holders = all_holders(fragment);
  for (int c = 0; c < fragment.cols; ++c) {
    drawing.shapes.push_back(Text{
        {kMargin + (c + 0.5) * kCell, kTop - 6}, fmt::format("C{:02}", c), 9, Anchor::kMiddle});
  }
  for (int r = 0; r < fragment.rows; ++r) {
    drawing.shapes.push_back(
        Text{{kMargin - 4, kTop + (r + 0.62) * kCell}, fmt::format("R{:02}", r), 9, Anchor::kEnd});
    for (int c = 0; c < fragment.cols; ++c) {
      const auto& cell = holders[static_cast<size_t>(r * fragment.cols + c)];
      const Point corner{kMargin + c * kCell, kTop + r * kCell};
      drawing.shapes.push_back(
          Rectangle{corner,
                    kCell,
                    kCell,
                    cell.empty() ? Color{255, 255, 255} : lane_color(cell[0].lane),
                    {{140, 140, 140}, 0.5}});
      if (cell.empty()) continue;
      drawing.shapes.push_back(Text{{corner.x + kCell / 2, corner.y + 14},
                                    lanes_text(fragment, cell),
                                    10,
                                    Anchor::kMiddle,
                                    {},
                                    true});
      drawing.shapes.push_back(Text{{corner.x + kCell / 2, corner.y + 25},
                                    fmt::format("x[{}]", cell[0].element),
                                    8,
                                    Anchor::kMiddle,
                                    {90, 90, 90}});
    }
  }
  for (int r = 0; r <= fragment.rows; r += kBlock) {
    const double y = kTop + r * kCell;
    drawing.shapes.push_back(Polyline{{{kMargin, y}, {kMargin + fragment.cols * kCell, y}}});
  }
  for (int c = 0; c <= fragment.cols; c += kBlock) {
    const double x = kMargin + c * kCell;
    drawing.shapes.push_back(Polyline{{{x, kTop}, {x, kTop + fragment.rows * kCell}}});
  }
  return drawing;
}

Table lane_table(const Fragment& fragment, int lane) {
  Table table{.title = fmt::format("{}: lane {}", fragment.name, lane),
              .columns = {{"element", "element", Align::kRight},
                          {"register", "register"},
                          {"row", "row", Align::kRight},
                          {"col", "col", Align::kRight}}};
  const std::vector<ElementPlace> places = element_places(fragment);
  for (int i = 0; i < fragment.elements; ++i) {
    const ElementPlace at = places[static_cast<size_t>(lane * fragment.elements + i)];
    table.rows.push_back({{Cell(i, fragment.fidelity), Cell(register_text(fragment, i)),
                           Cell(at.row, fragment.fidelity), Cell(at.col, fragment.fidelity)}});
  }
  return table;
}

std::string lane_text(const Fragment& fragment, int lane) {
  const std::vector<ElementPlace> places = element_places(fragment);
  std::vector<std::pair<int, int>> by_row;  // (row, element)
  for (int i = 0; i < fragment.elements; ++i) {
    by_row.emplace_back(places[static_cast<size_t>(lane * fragment.elements + i)].row, i);
  }
  const auto held = by_row;
  std::stable_sort(by_row.begin(), by_row.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text =
      fmt::format("lane {} of {}\n\n  as held            grouped by row\n", lane, fragment.name);
  for (size_t i = 0; i < held.size(); ++i) {
    text += fmt::format("  x[{:>2}] | row {:>2} |    {} x[{:>2}] | row {:>2} |\n", held[i].second,
                        held[i].first, held[i] == by_row[i] ? "  " : "<-", by_row[i].second,
                        by_row[i].first);
  }
  const auto moved = std::count_if(held.begin(), held.end(), [&](const auto& entry) {
    return entry != by_row[static_cast<size_t>(entry.second)];
  });
  text += "\n";
  if (moved == 0) return text + "Already grouped by row.\n";
  return text + fmt::format(
                    "{} elements change places, all within the lane: the grouping only renames\n"
                    "registers. It costs no instruction, and no data moves.\n",
                    moved);
}

}  // namespace warpledger
