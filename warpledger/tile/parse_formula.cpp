// The two expression languages. Both are left-associative with the usual precedence.
#include <fmt/core.h>

#include <charconv>
#include <limits>

#include "warpledger/tile/cursor.h"

namespace warpledger::tile {
namespace {

constexpr int kMostFactors = 64;  // bounds the work that one size expression can ask for
constexpr int64_t kLargestPower = 8;

class SizeParser {
 public:
  explicit SizeParser(Cursor& cursor) : cursor_(cursor) {}

  Result<Expression> sum() {
    WL_TRY(Expression value, product());
    while (cursor_.sees("+") || cursor_.sees("-")) {
      const bool adds = cursor_.next().text == "+";
      WL_TRY(const Expression more, product());
      value = adds ? value + more : value - more;
    }
    return value;
  }

 private:
  Result<Expression> product() {
    WL_TRY(Expression value, factor());
    while (cursor_.sees("*") || cursor_.sees("/")) {
      const Token sign = cursor_.next();
      WL_TRY(const Expression more, factor());
      if (sign.text == "/" && more.is_zero()) {
        return cursor_.fault_at(sign.span, "division by zero", "", "division-by-zero");
      }
      value = sign.text == "*" ? value * more : value / more;
    }
    return value;
  }

  Result<Expression> factor() {
    if (++factors_ > kMostFactors) {
      return cursor_.fault_here(fmt::format("more than {} factors in one size", kMostFactors), "",
                                "too-long");
    }
    if (cursor_.take("-")) {
      WL_TRY_STATUS(cursor_.enter());
      WL_TRY(const Expression value, factor());
      cursor_.leave();
      return -value;
    }
    WL_TRY(Expression value, atom());
    if (cursor_.take("^")) {
      WL_TRY(const int64_t power, cursor_.whole_number());
      if (power > kLargestPower) {
        return cursor_.fault_here(fmt::format("a power above {}", kLargestPower), "", "too-long");
      }
      value = value.pow(static_cast<int>(power));
    }
    return value;
  }

  Result<Expression> atom() {
    if (cursor_.take("(")) {
      WL_TRY_STATUS(cursor_.enter());
      WL_TRY(const Expression value, sum());
      cursor_.leave();
      WL_TRY_STATUS(cursor_.expect(")", "to close the bracket"));
      return value;
    }
    if (cursor_.peek().kind == TokenKind::kNumber) {
      WL_TRY(const int64_t value, cursor_.whole_number());
      return Expression(value);
    }
    WL_TRY(const std::string word, cursor_.name("a size"));
    return Expression::size(word);
  }

  Cursor& cursor_;
  int factors_ = 0;
};

class FormulaParser {
 public:
  explicit FormulaParser(Cursor& cursor) : cursor_(cursor) {}

  Result<Formula> sum() {
    WL_TRY(Formula value, product());
    while (cursor_.sees("+") || cursor_.sees("-")) {
      const std::string sign(cursor_.next().text);
      WL_TRY(Formula more, product());
      WL_TRY_STATUS(count());
      value = Formula{sign, {std::move(value), std::move(more)}};
    }
    return value;
  }

 private:
  Result<Formula> product() {
    WL_TRY(Formula value, factor());
    while (cursor_.sees("*") || cursor_.sees("/")) {
      const std::string sign(cursor_.next().text);
      WL_TRY(Formula more, factor());
      WL_TRY_STATUS(count());
      value = Formula{sign, {std::move(value), std::move(more)}};
    }
    return value;
  }

  Result<Formula> factor() {
    if (!cursor_.take("-")) return atom();
    WL_TRY_STATUS(cursor_.enter());
    WL_TRY(Formula value, factor());
    cursor_.leave();
    if (value.number) return Formula{"", {}, -*value.number};
    return Formula{"neg", {std::move(value)}};
  }

  Result<Formula> atom() {
    if (cursor_.take("(")) {
      WL_TRY_STATUS(cursor_.enter());
      WL_TRY(Formula value, sum());
      cursor_.leave();
      WL_TRY_STATUS(cursor_.expect(")", "to close the bracket"));
      return value;
    }
    const Token& token = cursor_.peek();
    if (token.kind == TokenKind::kNumber || cursor_.sees("inf")) {
      WL_TRY(const double value, parse_real(cursor_));
      return Formula{"", {}, value};
    }
    const auto function = formula_functions().find(token.text);
    if (token.kind == TokenKind::kName && function != formula_functions().end()) {
      cursor_.next();
      return call(function->first, function->second);
    }
    WL_TRY(std::string word, cursor_.name("a tile, a scalar or a size"));
    return Formula{std::move(word)};
  }

  Result<Formula> call(const std::string& head, int arguments) {
    WL_TRY_STATUS(cursor_.enter());
    Formula formula{head};
    WL_TRY_STATUS(cursor_.expect("(", fmt::format("after {}", head)));
    for (int i = 0; i < arguments; ++i) {
      if (i > 0) {
        WL_TRY_STATUS(cursor_.expect(",", fmt::format("between the arguments of {}", head)));
      }
      WL_TRY(Formula argument, sum());
      formula.args.push_back(std::move(argument));
    }
    WL_TRY_STATUS(cursor_.expect(")", fmt::format("after the arguments of {}", head)));
    cursor_.leave();
    return formula;
  }

  /// A chain of additions nests to the left: it is bounded like brackets are.
  Status count() {
    if (++operations_ <= kMostFactors) return {};
    return cursor_.fault_here(fmt::format("more than {} operations in a formula", kMostFactors), "",
                              "too-long");
  }

  Cursor& cursor_;
  int operations_ = 0;
};

}  // namespace

const std::map<std::string, int, std::less<>>& formula_functions() {
  static const std::map<std::string, int, std::less<>> kFunctions = {
      {"abs", 1}, {"exp", 1},  {"log", 1},  {"max", 2},
      {"min", 2}, {"relu", 1}, {"sqrt", 1}, {"tanh", 1}};
  return kFunctions;
}

Result<double> parse_real(Cursor& cursor) {
  const double sign = cursor.take("-") ? -1 : 1;
  if (cursor.take("inf")) return sign * std::numeric_limits<double>::infinity();
  const Token& token = cursor.peek();
  double value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto [stop, error] = std::from_chars(token.text.data(), end, value);
  if (token.kind != TokenKind::kNumber || error != std::errc() || stop != end) {
    return cursor.fault_here("expected a number", "such as 0, 1.5 or -inf", "expected-number");
  }
  cursor.next();
  return sign * value;
}

Result<Expression> parse_size(Cursor& cursor) { return SizeParser(cursor).sum(); }
Result<Formula> parse_formula(Cursor& cursor) { return FormulaParser(cursor).sum(); }

}  // namespace warpledger::tile
