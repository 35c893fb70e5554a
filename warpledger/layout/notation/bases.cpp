// {register: [(0,1),(8,0)], lane: [(0,2)]} -> (row 16, col 8)
#include <fmt/format.h>

#include <bit>

#include "warpledger/layout/notation/notation.h"
#include "warpledger/layout/notation/scanner.h"

namespace warpledger::notation {
namespace {

/// As far as a (shape):(stride) layout reaches, so that what is read there can be printed here.
constexpr int64_t kMaxSize = int64_t{1} << 31;

using Vector = std::vector<int64_t>;
struct Bases {
  std::vector<std::pair<std::string, std::vector<Vector>>> dims;
  size_t rank = 0;  // numbers per basis, once known
};

Result<Vector> read_vector(Scanner& scan) {
  Vector vector;
  if (!scan.take("(")) {
    WL_TRY(const int64_t number, scan.number());
    return Vector{number};
  }
  do {
    WL_TRY(const int64_t number, scan.number());
    vector.push_back(number);
  } while (scan.take(","));
  WL_TRY_STATUS(scan.expect(")"));
  return vector;
}

Status read_dimension(Scanner& scan, Bases& bases) {
  const std::string name = scan.name();
  if (name.empty()) return scan.error("expected the name of a dimension");
  for (const auto& [known, vectors] : bases.dims) {
    if (known == name) return scan.error(fmt::format("dimension '{}' is given twice", name));
  }
  if (!scan.take(":") && !scan.take("=")) return scan.error("expected ':'");
  WL_TRY_STATUS(scan.expect("["));
  std::vector<Vector> vectors;
  while (!scan.take("]")) {
    if (!vectors.empty()) WL_TRY_STATUS(scan.expect(","));
    WL_TRY(Vector vector, read_vector(scan));
    if (bases.rank == 0) bases.rank = vector.size();
    if (vector.size() != bases.rank) {
      return scan.error(
          fmt::format("a basis of {} numbers among bases of {}", vector.size(), bases.rank));
    }
    vectors.push_back(std::move(vector));
    if (vectors.size() > 20) return scan.error("more than 20 bases in one dimension");
  }
  bases.dims.emplace_back(name, std::move(vectors));
  return {};
}

/// Sizes are powers of two up to 2^31 each.
Result<Space> make_space(const Scanner& scan, std::vector<Dim> dims) {
  int bits = 0;
  for (const Dim& dim : dims) bits += std::countr_zero(static_cast<uint64_t>(dim.size));
  if (bits > 32) return scan.error("more than 2^32 elements");
  return Space(std::move(dims));
}

Result<Space> read_space(Scanner& scan) {
  WL_TRY_STATUS(scan.expect("("));
  std::vector<Dim> dims;
  do {
    const std::string name = scan.name();
    if (name.empty()) return scan.error("expected the name of a dimension");
    scan.take(":");
    WL_TRY(const int64_t size, scan.number());
    if (size < 1 || size > kMaxSize || !std::has_single_bit(static_cast<uint64_t>(size))) {
      return scan.error("a size must be a power of two up to 2^31");
    }
    for (const Dim& dim : dims) {
      if (dim.name == name) return scan.error(fmt::format("'{}' is given twice", name));
    }
    dims.push_back({name, size});
    WL_TRY_STATUS(check_outputs(scan, dims.size()));
  } while (scan.take(","));
  WL_TRY_STATUS(scan.expect(")"));
  return make_space(scan, std::move(dims));
}

/// The smallest power-of-two sizes that hold every basis, named row and col, or offset.
Result<Space> smallest_space(const Scanner& scan, const Bases& bases) {
  if (bases.rank == 0) return scan.error("no basis says where it goes: write '-> (row 8, col 8)'");
  WL_TRY_STATUS(check_outputs(scan, bases.rank));
  std::vector<Dim> dims;
  for (size_t d = 0; d < bases.rank; ++d) {
    uint64_t all = 0;
    for (const auto& [name, vectors] : bases.dims) {
      for (const Vector& vector : vectors) all |= static_cast<uint64_t>(vector[d]);
    }
    const std::string name = bases.rank == 1   ? "offset"
                             : bases.rank == 2 ? (d == 0 ? "row" : "col")
                                               : fmt::format("dim{}", d);
    dims.push_back({name, static_cast<int64_t>(std::bit_ceil(all + 1))});
  }
  return make_space(scan, std::move(dims));
}

Result<LinearMap> build(Scanner& scan, const Bases& bases, const Space& to) {
  std::vector<Dim> from;
  std::vector<uint64_t> words;
  for (const auto& [name, vectors] : bases.dims) {
    from.push_back({name, int64_t{1} << vectors.size()});
    for (const Vector& vector : vectors) {
      if (!to.contains(vector)) {
        return scan.error(
            fmt::format("basis ({}) is outside {}", fmt::join(vector, ","), to_text(to)));
      }
      words.push_back(to.pack(vector));
    }
  }
  if (words.size() > 20) return scan.error("more than 20 input bits");
  return LinearMap(Space(std::move(from)), to, std::move(words));
}

}  // namespace

Result<Layout> read_bases(const Source& source) {
  Scanner scan(source);
  Bases bases;
  WL_TRY_STATUS(scan.expect("{"));
  do {
    WL_TRY_STATUS(read_dimension(scan, bases));
  } while (scan.take(","));
  WL_TRY_STATUS(scan.expect("}"));
  std::optional<Space> to;
  if (scan.take("->")) {
    WL_TRY(to, read_space(scan));
  }
  if (!scan.at_end()) return scan.error("unexpected text after the layout");
  if (to && bases.rank != 0 && to->dims().size() != bases.rank) {
    return scan.error(fmt::format("bases of {} numbers, but {} dimensions after '->'", bases.rank,
                                  to->dims().size()));
  }
  if (!to) {
    for (const auto& [name, vectors] : bases.dims) {
      for (const Vector& vector : vectors) {
        for (const int64_t number : vector) {
          if (number >= kMaxSize) return scan.error("a basis of 2^31 or more");
        }
      }
    }
    WL_TRY(to, smallest_space(scan, bases));
  }
  WL_TRY(LinearMap map, build(scan, bases, *to));
  return Layout(std::move(map));
}

std::string print_bases(const LinearMap& map) {
  std::string dims;
  for (const Dim& dim : map.from().dims()) {
    std::string vectors;
    for (const uint64_t base : map.bases_of(dim.name)) {
      const std::vector<int64_t> at = map.to().unpack(base);
      vectors += vectors.empty() ? "" : ",";
      vectors +=
          at.size() == 1 ? fmt::format("{}", at[0]) : fmt::format("({})", fmt::join(at, ","));
    }
    dims += fmt::format("{}{}: [{}]", dims.empty() ? "" : ", ", dim.name, vectors);
  }
  return fmt::format("{{{}}} -> {}", dims, to_text(map.to()));
}

}  // namespace warpledger::notation
