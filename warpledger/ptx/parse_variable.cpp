// Variables and parameters: state space, alignment, type, dimensions, initializer.
#include <fmt/core.h>

#include "warpledger/ptx/parser_impl.h"

namespace warpledger::ptx {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // no GPU has a terabyte

std::optional<Space> pointer_space(std::string_view word) {
  if (word == "global") return Space::kGlobal;
  if (word == "const") return Space::kConst;
  if (word == "local") return Space::kLocal;
  if (word == "shared") return Space::kShared;
  return std::nullopt;
}

}  // namespace

// After the state space: {.attribute} {.align} {.v4} .type name{[…]} {= …}{, name …};
bool Parser::variable_declaration(Space space, Linkage linkage) {
  Variable variable;
  variable.space = space;
  variable.linkage = linkage;
  if (scan_.accept('[') && (!small_number(variable.const_bank) || !expect(']'))) return false;
  scan_.skip();
  if (!variable_prefix(variable)) return false;
  do {
    if (!declarator(variable)) return false;
  } while (scan_.accept(','));
  return expect(';');
}

bool Parser::variable_prefix(Variable& variable) {
  while (scan_.peek() == '.') {
    scan_.advance();
    if (!variable_attribute(scan_.word(), variable)) return false;
  }
  return variable.type != Type::kNone || expected("a type");
}

// The scanner stands behind `.word`.
bool Parser::variable_attribute(std::string_view word, Variable& variable) {
  const Span span{scan_.position() - static_cast<uint32_t>(word.size()), scan_.position()};
  scan_.skip();
  if (word == "align")
    return small_number(variable.is_pointer ? variable.pointer_align : variable.align);
  if (word == "v2" || word == "v4")
    return variable.width = static_cast<uint8_t>(word[1] - '0'), true;
  if (word == "ptr") return variable.is_pointer = true;
  if (const auto type = parse_type(word)) return variable.type = *type, true;
  if (const auto space = pointer_space(word); space && variable.is_pointer) {
    return variable.pointer_space = *space, true;
  }
  if (word != "attribute") {
    return fail(span, fmt::format("'.{}' is not allowed in a declaration", word), "",
                "unknown-directive");
  }
  const uint32_t begin = scan_.position();
  int depth = 0;
  do {
    if (scan_.at_end()) return expected("')'");
    if (scan_.peek() == '(') ++depth;
    if (scan_.peek() == ')') --depth;
    scan_.advance();
  } while (depth > 0);
  variable.attribute = scan_.text(begin);
  if (variable.attribute.front() != '(') return expected("'('");
  variable.is_managed = variable.attribute.find(".managed") != std::string_view::npos;
  scan_.skip();
  return true;
}

bool Parser::declarator(Variable variable) {
  const uint32_t begin = scan_.position();
  variable.name = scan_.name();
  if (variable.name.empty()) return expected("a name");
  variable.span = from(begin);
  scan_.skip();
  if (!dimensions(variable)) return false;
  const auto index = static_cast<uint32_t>(module_.variables.size());
  const uint32_t number = names_.number(variable.name);
  const Binding& before = names_[number];
  // An .extern may be followed by what it announced.
  const bool announced = before.meaning == Meaning::kVariable && before.depth == names_.depth() &&
                         (module_.variables[before.index].linkage == Linkage::kExtern ||
                          variable.linkage == Linkage::kExtern);
  if (announced) names_.redeclare(number, Meaning::kVariable, index);
  if (!announced && !declare_name(variable.name, Meaning::kVariable, index, variable.span))
    return false;
  module_.variables.push_back(std::move(variable));
  if (scan_.accept('=')) {
    Variable& created = module_.variables.back();
    if (!initializer(created)) return false;
  }
  std::vector<Statement>& statements = function_ != nullptr ? function_->body : module_.statements;
  statements.push_back({StatementKind::kVariable, index});
  return true;
}

bool Parser::dimensions(Variable& variable) {
  const uint32_t begin = scan_.position();
  uint64_t bytes = variable.element_bytes();
  while (scan_.accept('[')) {
    variable.is_array = true;
    if (scan_.accept(']')) {
      variable.is_unsized = variable.dimensions.empty() || variable.is_unsized;
      variable.dimensions.push_back(0);
      continue;
    }
    Constant extent;
    if (!constant(extent) || !expect(']')) return false;
    if (extent.kind != OperandKind::kInteger ||
        extent.bits > kMostBytes / std::max<uint64_t>(bytes, 1)) {
      return fail(from(begin), "an array must have fewer than 2^40 bytes", "", "array-size");
    }
    bytes *= extent.bits;
    variable.dimensions.push_back(extent.bits);
  }
  return true;
}

bool Parser::initializer(Variable& variable) {
  if (kind(variable.type) == TypeKind::kOpaque) {
    const uint32_t begin = scan_.position();
    if (scan_.peek() != '{' || !scan_.braced()) return expected("{ … }");
    variable.opaque_initial = scan_.text(begin);
    scan_.skip();
    return true;
  }
  using Kind = InitialValue::Kind;
  int depth = 0;
  while (true) {  // braces nest: counted, not recursed into
    if (scan_.peek() == '{') {
      scan_.accept('{');
      ++depth;
      variable.initial.push_back({Kind::kOpen});
      if (scan_.peek() != '}') continue;
    } else if (!initial_value(variable)) {
      return false;
    }
    while (depth > 0 && scan_.accept('}')) {
      --depth;
      variable.initial.push_back({Kind::kClose});
    }
    if (depth == 0) return true;
    if (!scan_.accept(',')) return expected("',' or '}'");
  }
}

bool Parser::initial_value(Variable& variable) {
  InitialValue value;
  if (Scanner::is(scan_.peek(), kNameStart)) {
    if (!initial_name(value)) return false;
    variable.initial.push_back(value);
    return true;
  }
  Constant number_read;
  if (!constant(number_read)) return false;
  if (scan_.peek() == '(' && number_read.kind == OperandKind::kInteger) {  // 0xff00(name)
    scan_.accept('(');
    if (!initial_name(value) || !expect(')')) return false;
    value.mask = number_read.bits;
    variable.initial.push_back(value);
    return true;
  }
  using Kind = InitialValue::Kind;
  value.kind = number_read.kind == OperandKind::kInteger   ? Kind::kInteger
               : number_read.kind == OperandKind::kFloat32 ? Kind::kFloat32
                                                           : Kind::kFloat64;
  value.is_unsigned = number_read.is_unsigned;
  value.value = number_read.bits;
  variable.initial.push_back(value);
  return true;
}

// name{+offset} or generic(name){+offset}
bool Parser::initial_name(InitialValue& value) {
  uint32_t begin = scan_.position();
  std::string_view name = scan_.name();
  scan_.skip();
  if (name == "generic" && scan_.accept('(')) {
    value.is_generic = true;
    begin = scan_.position();
    name = scan_.name();
    scan_.skip();
    if (!expect(')')) return false;
  }
  const Binding binding = names_.find(name);
  if (binding.meaning != Meaning::kVariable && binding.meaning != Meaning::kFunction) {
    return fail({begin, begin + static_cast<uint32_t>(name.size())},
                fmt::format("unknown name '{}'", name), "", "unknown-name");
  }
  value.kind = binding.meaning == Meaning::kVariable ? InitialValue::Kind::kVariable
                                                     : InitialValue::Kind::kFunction;
  value.index = binding.index;
  return offset(value.value);
}

bool Parser::parameter_list(std::vector<uint32_t>& out, bool declare) {
  scan_.accept('(');
  if (scan_.accept(')')) return true;
  do {
    if (!parameter(out, declare)) return false;
  } while (scan_.accept(','));
  return expect(')');
}

// What CUDA Tile kernels of sm_90 and later have: tensor maps that their launch makes.
bool Parser::hidden_parameter() {
  return fail(
      {scan_.position() - 7, scan_.position()},
      "hidden parameters are not supported: NVIDIA's driver fills them in by rules that are "
      "not published",
      "cuTile's kernels for sm_80 to sm_89 have none: choose such a GPU", "hidden-parameter");
}

// .param .u64 .ptr .global .align 16 name, .param .align 8 .b8 name[16], .reg .f32 name
bool Parser::parameter(std::vector<uint32_t>& out, bool declare) {
  if (scan_.peek() != '.') return expected("a parameter");
  scan_.advance();
  const std::string_view space = scan_.word();
  if (space == "hidden") return hidden_parameter();
  if (space != "param" && space != "reg") return expected("'.param' or '.reg'");
  scan_.skip();
  Variable variable;
  variable.space = space == "param" ? Space::kParam : Space::kRegister;
  if (!variable_prefix(variable)) return false;
  const uint32_t begin = scan_.position();
  variable.name = scan_.name();
  if (variable.name.empty()) return expected("a parameter name");
  variable.span = from(begin);
  scan_.skip();
  if (!dimensions(variable)) return false;
  const auto index = static_cast<uint32_t>(module_.variables.size());
  if (declare && variable.name != "_") {
    if (variable.space == Space::kRegister) {
      const auto range = static_cast<uint32_t>(function_->registers.size());
      variable.reg = function_->register_count();
      function_->registers.push_back(
          {variable.name, variable.type, variable.width, false, variable.reg, 1, variable.span});
      if (Scanner::is(variable.name.back(), kDigit)) ++exact_numbered_;
      if (!declare_name(variable.name, Meaning::kRegister, range, variable.span)) return false;
    } else if (!declare_name(variable.name, Meaning::kVariable, index, variable.span)) {
      return false;
    }
  }
  module_.variables.push_back(std::move(variable));
  out.push_back(index);
  return true;
}

}  // namespace warpledger::ptx
