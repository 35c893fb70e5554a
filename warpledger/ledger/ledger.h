// ledger/: the one value that every analysis ends in. A Ledger is a list of movements, each
// (operation, tensor or source line, from -> to, bytes per iteration, iterations, total), so that a
// plan, a prediction and a measurement can be compared row by row.
//
// Invariants:
// - the rows of an edge add up to that edge's total; what no row explains is a row of its own
//   (attribute_rest), so a total is never stored beside the rows, only computed from them;
// - every figure carries its fidelity, and a sum has the weakest of its parts.
//
// This room knows levels, amounts and how to compare them. It must not know where a number came
// from (programs, launches, reports), nor how a table looks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "warpledger/algebra/expression.h"
#include "warpledger/base/fidelity.h"
#include "warpledger/base/result.h"
#include "warpledger/ledger/level.h"

namespace warpledger {

/// A whole number or a formula in the problem's sizes; exact in both cases.
using Amount = Expression;

/// An amount and how far it can be trusted.
struct Figure {
  Amount value = 0;
  Fidelity fidelity = Fidelity::kExact;

  friend Figure operator+(const Figure& a, const Figure& b) {
    return {a.value + b.value, weakest(a.fidelity, b.fidelity)};
  }
  friend bool operator==(const Figure&, const Figure&) = default;
};

inline constexpr const char* kUnattributed = "[unattributed]";
inline constexpr const char* kBytes = "bytes";

struct Movement {
  std::string operation;  // "LDS", "WGMMA", "ld.global.v4.f32"
  std::string subject;    // the tensor, or the source line "gemm.cu:41"
  Edge edge;
  Amount bytes_per_iteration = 0;
  Amount iterations = 1;
  Fidelity fidelity = Fidelity::kExact;
  std::string note = {};                        // "implicit load of K alone"
  std::map<std::string, Figure> counters = {};  // totals: "requests", "sectors", "wavefronts"

  [[nodiscard]] Figure total() const { return {bytes_per_iteration * iterations, fidelity}; }
  /// The total of "bytes", or of a counter; absent when the row does not count it.
  [[nodiscard]] std::optional<Figure> quantity(const std::string& name) const;
  friend bool operator==(const Movement&, const Movement&) = default;
};

struct Ledger {
  std::string title = {};
  std::map<std::string, std::string> provenance = {};  // "gpu", "launch", "sizes", "version"
  std::vector<Movement> rows = {};                     // in program order

  friend bool operator==(const Ledger&, const Ledger&) = default;
};

/// Every edge of the ledger with the total of its rows; the edges in order.
[[nodiscard]] std::map<Edge, Figure> edge_totals(const Ledger& ledger,
                                                 const std::string& quantity = kBytes);

/// Over all edges.
[[nodiscard]] Figure grand_total(const Ledger& ledger, const std::string& quantity = kBytes);

/// kBytes and the names of all counters.
[[nodiscard]] std::set<std::string> quantities(const Ledger& ledger);

/// `total` is what an edge moved as a whole: adds a row kUnattributed for the part that no row
/// explains, unless that is nothing. It is negative where the rows explain too much.
/// Post: edge_totals(ledger).at(edge).value == total.value.
void attribute_rest(Ledger& ledger, Edge edge, const Figure& total);

/// The sizes that occur, sorted.
[[nodiscard]] std::set<std::string> sizes_of(const Ledger& ledger);

/// The ledger with these sizes put in and noted in provenance["sizes"]; other sizes stay symbols,
/// and given sizes that do not occur are passed over. Fails with "not-whole" where a total,
/// iteration count or counter becomes a fraction: the sizes then break an assumption such as
/// `Br divides N`. Post: totals of the result == totals with the sizes put in.
[[nodiscard]] Result<Ledger> at_sizes(const Ledger& ledger, const Sizes& sizes);

/// "LDS(K) dram -> smem", for messages.
[[nodiscard]] std::string name_of(const Movement& row);

}  // namespace warpledger
