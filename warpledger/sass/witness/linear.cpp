#include "warpledger/sass/witness/linear.h"

#include <bit>
#include <map>

namespace warpledger::sass {
namespace {

using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;

/// How many low bits of the form are surely 0.
int trailing_zeros(const Linear& form) {
  int zeros = form.constant == 0 ? 64 : std::countr_zero(static_cast<uint64_t>(form.constant));
  for (const Linear::Term& term : form.terms)
    zeros = std::min(zeros, std::countr_zero(static_cast<uint64_t>(term.coefficient)));
  return zeros;
}

bool is_constant(const Linear& form) { return form.terms.empty(); }

int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Follows a function from its first instruction to its last.
class Tracer {
 public:
  Tracer(const ptx::Module& module, const ptx::Function& function, const ptx::Cfg& cfg)
      : module_(module), function_(function), cfg_(cfg), single_(function.register_count()) {
    definitions_.resize(function.register_count());
    for (const ptx::Instruction& instruction : function.instructions)
      each_written(instruction, [&](uint32_t reg) { ++definitions_[reg]; });
  }

  std::vector<std::optional<Linear>> run() {
    std::vector<std::optional<Linear>> addresses(function_.instructions.size());
    for (uint32_t i = 0; i < addresses.size(); ++i) {
      const ptx::Instruction& instruction = function_.instructions[i];
      if (i == cfg_.blocks[cfg_.block_of[i]].first) {
        block_ = cfg_.block_of[i];
        in_block_.clear();
      }
      for (const Operand& operand : function_.operands_of(instruction)) {
        if (addresses[i] || !operand.is_address()) continue;
        addresses[i] = address(operand);
      }
      define(i, instruction);
    }
    return addresses;
  }

 private:
  using Key = std::vector<uint64_t>;
  enum Tag : uint64_t { kRegister, kInBlock, kInstruction, kVariable, kSpecial, kPure };

  template <class F>
  void each_written(const ptx::Instruction& instruction, const F& take) const {
    const ptx::Spelling& spelling = module_.spelling(instruction);
    const auto operands = function_.operands_of(instruction);
    const bool is_call = spelling.op() == Op::kCall;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool written = is_call ? i == 0 : spelling.operand(i, operands.size()).written;
      if (written) each_register(operands[i], take);
    }
  }
  template <class F>
  void each_register(const Operand& operand, const F& take) const {
    if (operand.kind == OperandKind::kRegister) take(operand.index);
    if (!operand.has_children()) return;
    for (const Operand& child : function_.children(operand)) each_register(child, take);
  }

  Linear symbol(const Key& key) {
    const auto [found, fresh] = symbols_.try_emplace(key, static_cast<uint32_t>(symbols_.size()));
    return {{{found->second, 1}}, 0};
  }
  uint64_t number(const Linear& form) {
    return forms_.try_emplace(form, forms_.size()).first->second;
  }

  Linear value(uint32_t reg) {
    if (definitions_[reg] <= 1) return single_[reg] ? *single_[reg] : symbol({kRegister, reg});
    const auto found = in_block_.find(reg);
    return found != in_block_.end() ? found->second : symbol({kInBlock, reg, block_});
  }
  std::optional<Linear> value(const Operand& operand) {
    if (operand.is_negated()) return {};
    switch (operand.kind) {
      case OperandKind::kRegister:
        if (operand.selector != 0) return {};
        return value(operand.index);
      case OperandKind::kInteger:
        return Linear{{}, static_cast<int64_t>(operand.value)};
      case OperandKind::kVariable:
        return address(operand);
      case OperandKind::kSpecial:
        return symbol({kSpecial, operand.index, operand.value, operand.selector});
      default:
        return {};
    }
  }
  Linear address(const Operand& operand) {
    Linear base;
    if (operand.kind == OperandKind::kAddressOfRegister)
      base = value(operand.index);
    else if (operand.kind != OperandKind::kAddressOfConstant)
      base = symbol({kVariable, operand.index});
    base.constant = wrap_add(base.constant, operand.offset());
    return base;
  }

  /// The form of what a scalar instruction writes, as far as it is linear.
  std::optional<Linear> linear(Op op, const std::vector<Linear>& in) {
    if (in.empty()) return {};
    switch (op) {
      case Op::kMov:
      case Op::kCvta:
      case Op::kCvt:
        return in[0];
      case Op::kAdd:
        return in[0] + in[1];
      case Op::kSub:
        return in[0] + in[1] * -1;
      case Op::kShl:
        if (!is_constant(in[1]) || in[1].constant < 0 || in[1].constant > 62) return {};
        return in[0] * (int64_t{1} << in[1].constant);
      case Op::kMul:
        return product(in[0], in[1]);
      case Op::kMad:
        if (const auto scaled = product(in[0], in[1])) return *scaled + in[2];
        return {};
      case Op::kOr:  // adds where the bits are disjoint
        if (!is_constant(in[1]) || in[1].constant < 0) return {};
        if (64 - std::countl_zero(static_cast<uint64_t>(in[1].constant)) > trailing_zeros(in[0]))
          return {};
        return in[0] + in[1];
      default:
        return {};
    }
  }
  static std::optional<Linear> product(const Linear& a, const Linear& b) {
    if (is_constant(b)) return a * b.constant;
    if (is_constant(a)) return b * a.constant;
    return {};
  }

  /// Instructions whose result depends on nothing but their operands.
  static bool is_pure(const ptx::Spelling& spelling) {
    const ptx::Family family = spelling.opcode().family;
    return (family == ptx::Family::kArithmetic || family == ptx::Family::kLogic ||
            family == ptx::Family::kConversion) &&
           spelling.text.find(".cc") == std::string_view::npos &&
           spelling.opcode().memory == ptx::MemoryKind::kNone && spelling.op() != Op::kAddc &&
           spelling.op() != Op::kSubc && spelling.op() != Op::kMadc;
  }
  static bool is_integer(const ptx::Spelling& spelling) {
    for (int i = 0; i < spelling.type_count; ++i) {
      const ptx::TypeKind kind = ptx::kind(spelling.type(i));
      if (kind == ptx::TypeKind::kFloat || kind == ptx::TypeKind::kPacked) return false;
    }
    return !spelling.has(ptx::Modifier::kHi);
  }
  /// Counters of time change between two readings.
  static bool is_steady(const Operand& operand) {
    if (operand.kind != OperandKind::kSpecial) return true;
    const std::string_view name = ptx::info(static_cast<ptx::SpecialRegister>(operand.index)).text;
    return name.find("clock") == std::string_view::npos &&
           name.find("timer") == std::string_view::npos &&
           name.find("pm") == std::string_view::npos;
  }

  std::optional<Linear> result(const ptx::Instruction& instruction) {
    const ptx::Spelling& spelling = module_.spelling(instruction);
    if (instruction.guard != ptx::kNoGuard || !is_pure(spelling)) return {};
    const auto operands = function_.operands_of(instruction);
    std::vector<Linear> in;
    for (size_t i = 1; i < operands.size(); ++i) {
      const std::optional<Linear> form = value(operands[i]);
      if (!form || !is_steady(operands[i])) return {};
      in.push_back(*form);
    }
    if (is_integer(spelling)) {
      if (auto form = linear(spelling.op(), in)) return form;
    }
    Key key = {kPure, instruction.spelling};
    for (const Linear& form : in) key.push_back(number(form));
    return symbol(key);
  }

  void define(uint32_t index, const ptx::Instruction& instruction) {
    const auto operands = function_.operands_of(instruction);
    const bool scalar = !operands.empty() && operands[0].kind == OperandKind::kRegister &&
                        operands[0].selector == 0;
    const std::optional<Linear> made = scalar ? result(instruction) : std::nullopt;
    uint64_t part = 0;
    each_written(instruction, [&](uint32_t reg) {
      const Linear form = made ? *made : symbol({kInstruction, index, part++});
      if (definitions_[reg] <= 1)
        single_[reg] = form;
      else
        in_block_[reg] = form;
    });
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const ptx::Cfg& cfg_;
  std::vector<std::optional<Linear>> single_;  // registers written once
  std::vector<uint32_t> definitions_;
  std::map<uint32_t, Linear> in_block_;  // the others, as far as this block wrote them
  uint32_t block_ = 0;
  std::map<Key, uint32_t> symbols_;
  std::map<Linear, uint64_t> forms_;
};

}  // namespace

Linear operator+(const Linear& a, const Linear& b) {
  Linear sum{{}, wrap_add(a.constant, b.constant)};
  auto x = a.terms.begin(), y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->symbol < y->symbol)) {
      sum.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->symbol < x->symbol) {
      sum.terms.push_back(*y++);
    } else {
      const int64_t both = wrap_add(x->coefficient, y->coefficient);
      if (both != 0) sum.terms.push_back({x->symbol, both});
      ++x, ++y;
    }
  }
  return sum;
}

Linear operator*(const Linear& a, int64_t factor) {
  Linear scaled{{}, wrap_multiply(a.constant, factor)};
  for (const Linear::Term& term : a.terms) {
    const int64_t coefficient = wrap_multiply(term.coefficient, factor);
    if (coefficient != 0) scaled.terms.push_back({term.symbol, coefficient});
  }
  return scaled;
}

std::vector<std::optional<Linear>> linear_addresses(const ptx::Module& module,
                                                    const ptx::Function& function,
                                                    const ptx::Cfg& cfg) {
  return Tracer(module, function, cfg).run();
}

}  // namespace warpledger::sass
