#include "warpledger/launch/expression.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "warpledger/base/scanner.h"

namespace warpledger::exec {
namespace {

using Node = Expression::Node;
using Scope = Expression::Scope;

/// Recursive descent; a fault is remembered and ends everything.
class Parser {
 public:
  Parser(const Source& source, const std::vector<Argument>& arguments)
      : scan_(source, {.blanks = " ", .code = "bad-expression"}), arguments_(arguments) {
    names_["i"] = 0;
  }

  Result<Node> run() {
    Node node = comparison();
    if (!fault_ && !scan_.at_end()) fault(fmt::format("cannot parse '{}'", scan_.rest()));
    if (fault_) return *fault_;
    return node;
  }

 private:
  bool take(std::string_view token) { return scan_.take(token); }
  void expect(std::string_view token) {
    if (!take(token)) fault(fmt::format("'{}' is missing", token));
  }
  void fault(std::string what) {
    if (fault_) return;
    fault_ = scan_.error(std::move(what));
    scan_.move_to(static_cast<uint32_t>(scan_.text().size()));
  }

  template <class F>
  static Node join(Node a, Node b, F f) {
    return [a = std::move(a), b = std::move(b), f](Scope& scope) {
      const double left = a(scope);
      return f(left, b(scope));
    };
  }

  Node comparison() {
    Node node = total();
    if (take("<="))
      return join(node, total(), [](double a, double b) { return a <= b ? 1.0 : 0.0; });
    if (take(">="))
      return join(node, total(), [](double a, double b) { return a >= b ? 1.0 : 0.0; });
    if (take("=="))
      return join(node, total(), [](double a, double b) { return a == b ? 1.0 : 0.0; });
    if (take("!="))
      return join(node, total(), [](double a, double b) { return a != b ? 1.0 : 0.0; });
    if (take("<")) return join(node, total(), [](double a, double b) { return a < b ? 1.0 : 0.0; });
    if (take(">")) return join(node, total(), [](double a, double b) { return a > b ? 1.0 : 0.0; });
    return node;
  }

  Node total() {
    Node node = product();
    while (!fault_) {
      if (take("+"))
        node = join(node, product(), std::plus<double>());
      else if (take("-"))
        node = join(node, product(), std::minus<double>());
      else
        break;
    }
    return node;
  }

  Node product() {
    Node node = factor();
    while (!fault_) {
      if (take("*"))
        node = join(node, factor(), std::multiplies<double>());
      else if (take("//"))
        node = join(node, factor(), [](double a, double b) { return std::floor(a / b); });
      else if (take("/"))
        node = join(node, factor(), std::divides<double>());
      else if (take("%"))
        node = join(node, factor(), [](double a, double b) { return a - b * std::floor(a / b); });
      else
        break;
    }
    return node;
  }

  Node factor() {
    if (take("-")) return [inner = factor()](Scope& scope) { return -inner(scope); };
    if (take("(")) {
      Node node = comparison();
      expect(")");
      return node;
    }
    const char first = scan_.next();
    return Scanner::is_digit(first) || first == '.' ? number() : name();
  }

  Node number() {
    const char* begin = scan_.rest().data();  // of a std::string: a '\0' ends it
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    scan_.skip(static_cast<uint32_t>(end - begin));
    return [value](Scope&) { return value; };
  }

  Node name() {
    const uint32_t start = scan_.position();
    const std::string word(scan_.take_while(Scanner::is_word));
    if (word.empty()) {
      fault("a value is missing");
      return [](Scope&) { return 0.0; };
    }
    if (take("(")) return word == "sum" ? sum() : function(word);
    if (const auto bound = names_.find(word); bound != names_.end()) {
      return [slot = bound->second](Scope& scope) { return scope[slot]; };
    }
    return argument(word, start);
  }

  Node argument(const std::string& word, uint32_t start) {
    for (const Argument& candidate : arguments_) {
      if (candidate.name != word) continue;
      Node index = [](Scope& scope) { return scope[0]; };
      if (take("[")) {
        index = comparison();
        expect("]");
      }
      return [&candidate, index](Scope& scope) {
        if (!candidate.count) return element_value(candidate.type, candidate.bytes.data(), 0);
        const double at = index(scope);
        const bool inside = at >= 0 && at < static_cast<double>(candidate.elements());
        return inside ? element_value(candidate.type, candidate.bytes.data(),
                                      static_cast<uint64_t>(at))
                      : NAN;
      };
    }
    scan_.move_to(start);
    fault(fmt::format("'{}' is not an argument", word));
    return [](Scope&) { return 0.0; };
  }

  Node sum() {
    scan_.skip_blanks();
    const std::string word(
        scan_.take_while([](char c) { return Scanner::is_word(c) && c != '_'; }));
    expect(",");
    Node from = comparison();
    expect(",");
    Node to = comparison();
    expect(",");
    const size_t slot = ++depth_;
    names_[word] = slot;
    Node body = comparison();
    names_.erase(word);
    --depth_;
    expect(")");
    return [from, to, body, slot](Scope& scope) {
      double total = 0;
      const double end = to(scope);
      if (scope.size() <= slot) scope.resize(slot + 1);
      for (double k = from(scope); k < end; ++k) {
        scope[slot] = k;
        total += body(scope);
      }
      return total;
    };
  }

  Node function(const std::string& word) {
    std::vector<Node> inputs{comparison()};
    while (take(",")) inputs.push_back(comparison());
    expect(")");
    using One = double (*)(double);
    static const std::map<std::string, One> kOne = {{"abs", std::fabs},
                                                    {"sqrt", std::sqrt},
                                                    {"exp", std::exp},
                                                    {"log", std::log},
                                                    {"floor", std::floor}};
    if (const auto one = kOne.find(word); one != kOne.end() && inputs.size() == 1) {
      return [f = one->second, a = inputs[0]](Scope& scope) { return f(a(scope)); };
    }
    if (word == "min" && inputs.size() == 2)
      return join(inputs[0], inputs[1], [](double a, double b) { return std::fmin(a, b); });
    if (word == "max" && inputs.size() == 2)
      return join(inputs[0], inputs[1], [](double a, double b) { return std::fmax(a, b); });
    if (word == "if" && inputs.size() == 3) {
      return [inputs](Scope& scope) {
        return inputs[0](scope) != 0 ? inputs[1](scope) : inputs[2](scope);
      };
    }
    fault(fmt::format("there is no function '{}' with {} arguments", word, inputs.size()));
    return [](Scope&) { return 0.0; };
  }

  Scanner scan_;
  const std::vector<Argument>& arguments_;
  std::map<std::string, size_t> names_;
  size_t depth_ = 0;
  std::optional<Diagnostic> fault_;
};

}  // namespace

Result<Expression> Expression::parse(const std::string& text,
                                     const std::vector<Argument>& arguments) {
  const Source source("--check", text);
  WL_TRY(Node node, Parser(source, arguments).run());
  return Expression(std::move(node));
}

double Expression::operator()(uint64_t i) const {
  Scope scope{static_cast<double>(i)};
  return node_(scope);
}

Comparison compare_elements(uint64_t count, double tolerance,
                            const std::function<double(uint64_t)>& expected,
                            const std::function<double(uint64_t)>& actual) {
  Comparison result{.compared = count};
  for (uint64_t i = 0; i < count; ++i) {
    const double want = expected(i), got = actual(i);
    const bool same_kind = std::isnan(want) == std::isnan(got);
    const double error = want == got || (std::isnan(want) && same_kind)
                             ? 0
                             : std::fabs(got - want) / std::fmax(1, std::fabs(want));
    if (!std::isnan(error)) result.largest_error = std::fmax(result.largest_error, error);
    if (same_kind && error <= tolerance) continue;
    if (result.different++ == 0) result.first = Mismatch{i, want, got};
  }
  return result;
}

}  // namespace warpledger::exec
