// Formulas as data. A Term is a tree: inputs (a counter of the profile, a fact of the GPU, a result
// of the time model) at its leaves, operations above them. A metric's value, the formula that
// `--explain` prints and the instructions that it names all come from the same tree, so that none
// can say what another does not do.
//
//   value   counts are added, subtracted and multiplied as whole numbers; an input without a value
//           leaves the whole without one; a value is as trustworthy as its weakest count
//   text    "100 x l1tex__t_sectors_lookup_hit.sum / l1tex__t_sectors.sum"
//   inputs  each once, with what every instruction added to it
//
// What is not a combination of counters (occupancy, modeled cycles) is one input with a function.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpledger/profile/metrics/metric_value.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile {

/// What instructions add to an input, by their place in Profile::code.
using Shares = std::vector<double>;

struct Input {
  std::string name = {};  // "sectors of global loads"
  std::function<Value(const Evidence&)> value;
  std::function<Shares(const Evidence&)> shares = nullptr;  // null: not known by instruction
  std::string rest = {};  // what is no instruction's: "shuffles, reads of threadIdx"
  /// A fact of the GPU or of time: it is no count, and does not weaken the fidelity of one.
  bool is_factor = false;
};

class Term {
 public:
  enum class Kind : uint8_t {
    kNumber,
    kInput,
    kNamed,  // another metric
    kSum,
    kDifference,
    kExcess,  // a - b, not below 0
    kProduct,
    kRatio,     // a / b, and 0 where b is 0, as ncu prints it
    kQuotient,  // a / b, and no value where that has no end
    kBusiest,   // the largest; what has no value does not count. None without a model of time
  };

  Term() = default;
  Term(int number);
  Term(Input input);
  [[nodiscard]] static Term named(std::string metric, Term is);
  [[nodiscard]] static Term ratio(Term a, Term b);
  [[nodiscard]] static Term quotient(Term a, Term b);
  [[nodiscard]] static Term excess(Term a, Term b);
  [[nodiscard]] static Term busiest(std::vector<Term> parts);

  [[nodiscard]] Value operator()(const Evidence& evidence) const;
  /// The same with other values for inputs. Pre: `of` answers every input of the tree.
  using Lookup = std::function<Value(const Input&)>;
  [[nodiscard]] Value evaluate(const Lookup& of, bool has_time) const;

  [[nodiscard]] std::string text() const;

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] const std::string& name() const;         // of kNamed
  [[nodiscard]] const Input& input() const;              // of kInput
  [[nodiscard]] const std::vector<Term>& parts() const;  // of what has parts; kNamed has one

 private:
  struct Node;
  struct Evaluation;
  [[nodiscard]] bool is_one_over() const;
  Term(Kind kind, std::vector<Term> parts);
  friend Term operator+(Term a, Term b);
  friend Term operator-(Term a, Term b);
  friend Term operator*(Term a, Term b);

  std::shared_ptr<const Node> node_;
};

[[nodiscard]] Term operator+(Term a, Term b);
[[nodiscard]] Term operator-(Term a, Term b);
[[nodiscard]] Term operator*(Term a, Term b);

}  // namespace warpledger::profile
