#include "warpledger/layout/catalog/matrix_moves.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <charconv>

namespace warpledger {
namespace {

/// Powers of two times (row, col, matrix), low register bit first.
struct Place {
  int row = 0, col = 0, matrix = 0;
};

LinearMap build(const std::vector<Place>& registers, const std::vector<Place>& lanes,
                const Space& to) {
  std::vector<uint64_t> bases;
  for (const auto* part : {&registers, &lanes}) {
    for (const Place& place : *part) {
      std::vector<int64_t> at = {place.row, place.col};
      if (to.dims().size() == 3) at.push_back(place.matrix);
      bases.push_back(to.pack(at));
    }
  }
  return LinearMap(Space({{"register", int64_t{1} << registers.size()}, {"lane", 32}}), to, bases);
}

/// Register m, half h of lane l: row l>>2, column 2*(l&3) + h of matrix m; transposed: exchanged.
LinearMap eight_by_eight(int count, bool transposed) {
  std::vector<Place> registers = {{0, 1, 0}};
  for (int m = 1; m < count; m *= 2) registers.push_back({0, 0, m});
  std::vector<Place> lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  if (transposed) {
    for (auto* part : {&registers, &lanes}) {
      for (Place& place : *part) std::swap(place.row, place.col);
    }
  }
  return build(registers, lanes, Space({{"row", 8}, {"col", 8}, {"matrix", count}}));
}

struct TmemShape {
  std::string_view name;
  int columns;  // 32-bit columns of x1
  std::vector<Place> registers;
  std::vector<Place> lanes;
};

const std::vector<TmemShape>& tmem_shapes() {
  // PTX ISA 9.1, 9.7.16.2.3; 16x256b is the accumulator of mma m16n8.
  static const std::vector<TmemShape> shapes = {
      {"32x32b", 1, {}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}},
      {"16x64b", 2, {}, {{8, 0}, {0, 1}, {1, 0}, {2, 0}, {4, 0}}},
      {"16x128b", 4, {{8, 0}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}},
      {"16x256b", 8, {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}},
  };
  return shapes;
}

std::optional<int> parse_count(std::string_view word, int most) {
  int count = 0;
  if (!word.starts_with('x')) return std::nullopt;
  const auto [end, fault] = std::from_chars(word.data() + 1, word.data() + word.size(), count);
  if (fault != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (count < 1 || count > most || !std::has_single_bit(static_cast<unsigned>(count))) {
    return std::nullopt;
  }
  return count;
}

Diagnostic unknown_move(std::string_view name) {
  return Diagnostic{.message = fmt::format("there is no matrix move '{}'", name),
                    .hint = did_you_mean(name, matrix_move_names()),
                    .code = "unknown-fragment"};
}

Result<MatrixMove> find_tmem(std::string_view name) {
  std::string_view rest = name.substr(std::string_view("tcgen05.ld.").size());
  const size_t dot = rest.find('.');
  if (dot == std::string_view::npos) return unknown_move(name);
  for (const TmemShape& shape : tmem_shapes()) {
    if (shape.name != rest.substr(0, dot)) continue;
    const int own_registers = 1 << shape.registers.size();
    const auto count = parse_count(rest.substr(dot + 1), 128 / own_registers);
    if (!count) return unknown_move(name);
    std::vector<Place> registers = shape.registers;
    for (int step = 1; step < *count; step *= 2) registers.push_back({0, step * shape.columns});
    const int rows = shape.name == "32x32b" ? 32 : 16;
    return MatrixMove{std::string(name),
                      build(registers, shape.lanes,
                            Space({{"row", rows}, {"col", int64_t{shape.columns} * *count}})),
                      32, 100, "PTX ISA 9.1, 9.7.16.2.3"};
  }
  return unknown_move(name);
}

Result<MatrixMove> find_shared(std::string_view name) {
  const bool load = name.starts_with("ldmatrix.");
  std::string_view rest = name.substr(std::string_view("ldmatrix.").size());
  const bool transposed = rest.ends_with(".trans");
  if (transposed) rest.remove_suffix(6);
  const auto count = parse_count(rest, 4);
  if (!count) {
    Diagnostic unknown = unknown_move(name);
    if (rest.find("b8") != std::string_view::npos ||
        rest.find("m16n16") != std::string_view::npos) {
      unknown.hint = "the byte order of the b8 forms is published as a figure only";
    }
    return unknown;
  }
  return MatrixMove{std::string(name), eight_by_eight(*count, transposed), 16, load ? 75 : 90,
                    "PTX ISA 9.1, 9.7.14.5.15 and .16"};
}

}  // namespace

Result<MatrixMove> find_matrix_move(std::string_view name) {
  if (name == "movmatrix" || name == "movmatrix.trans") {
    const LinearMap map = eight_by_eight(1, name == "movmatrix.trans");
    return MatrixMove{std::string(name), project_outputs(map, {"row", "col"}), 16, 75,
                      "PTX ISA 9.1, 9.7.14.5.17"};
  }
  if (name.starts_with("ldmatrix.") || name.starts_with("stmatrix.")) return find_shared(name);
  if (name.starts_with("tcgen05.ld.") || name.starts_with("tcgen05.st.")) return find_tmem(name);
  return unknown_move(name);
}

std::vector<std::string> matrix_move_names() {
  std::vector<std::string> names;
  for (const std::string_view base : {"ldmatrix", "stmatrix"}) {
    for (const int count : {1, 2, 4}) {
      names.push_back(fmt::format("{}.x{}", base, count));
      names.push_back(fmt::format("{}.x{}.trans", base, count));
    }
  }
  names.insert(names.end(), {"movmatrix", "movmatrix.trans"});
  for (const std::string_view base : {"tcgen05.ld", "tcgen05.st"}) {
    for (const TmemShape& shape : tmem_shapes()) {
      for (int count = 1; count << shape.registers.size() <= 128; count *= 2) {
        names.push_back(fmt::format("{}.{}.x{}", base, shape.name, count));
      }
    }
  }
  return names;
}

namespace {

struct Placement {
  char letter;
  int rows;                // of one CTA
  std::vector<int> lanes;  // the TMEM lane of each row bit
  int halvings;            // how many high column bits number lane groups
  int lane_step;           // the lane distance of the first of them
};

const std::array<Placement, 7> kPlacements = {{{'A', 128, {1, 2, 4, 8, 16, 32, 64}, 0, 0},
                                               {'B', 64, {1, 2, 4, 8, 16, 32}, 1, 64},
                                               {'C', 64, {1, 2, 4, 8, 32, 64}, 0, 0},
                                               {'D', 128, {1, 2, 4, 8, 16, 32, 64}, 0, 0},
                                               {'E', 64, {1, 2, 4, 8, 16, 32}, 1, 64},
                                               {'F', 64, {1, 2, 4, 8, 32, 64}, 0, 0},
                                               {'G', 32, {1, 2, 4, 8, 16}, 2, 32}}};

}  // namespace

Result<LinearMap> accumulator_placement(char letter, int n) {
  for (const Placement& placement : kPlacements) {
    if (placement.letter != letter) continue;
    const int columns = n >> placement.halvings;
    if (n < 8 || n > 512 || !std::has_single_bit(static_cast<unsigned>(n))) {
      return Diagnostic{.message = fmt::format("N = {} is not a power of two from 8 to 512", n),
                        .code = "unknown-fragment"};
    }
    const Space to({{"lane", 128}, {"column", columns}});
    std::vector<uint64_t> bases;
    for (const int lane : placement.lanes) bases.push_back(to.pack({lane, 0}));
    for (int c = 1; c < columns; c *= 2) bases.push_back(to.pack({0, c}));
    for (int h = 0; h < placement.halvings; ++h) {
      bases.push_back(to.pack({placement.lane_step << h, 0}));
    }
    return LinearMap(Space({{"row", placement.rows}, {"col", n}}), to, bases);
  }
  return Diagnostic{.message = fmt::format("tcgen05 has no data path layout '{}'", letter),
                    .hint = "they are A to G",
                    .code = "unknown-fragment"};
}

}  // namespace warpledger
