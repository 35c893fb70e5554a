// The parser's state and methods; inside ptx/ only. One recursive-descent parser in several files:
// parse_constant, _operand, _instruction, _declaration, _variable, _function, _module.
//
// Methods return false after noting a fault. Nothing recurses on the text except parentheses in
// constant expressions, which are counted.
#pragma once

#include <string>
#include <vector>

#include "warpledger/ptx/module.h"
#include "warpledger/ptx/names.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/ptx/scanner.h"

namespace warpledger::ptx {

struct Constant {
  OperandKind kind = OperandKind::kInteger;  // or kFloat32, kFloat64
  bool is_unsigned = false;
  uint64_t bits = 0;
};

class Parser {
 public:
  explicit Parser(std::shared_ptr<const Source> source);
  Result<Module> run();

 private:
  // Faults (parse_module.cpp).
  bool fail(Span span, std::string message, std::string hint, std::string code);
  bool expected(std::string_view what);  // at the scanner's position
  void note(Span span, std::string message, std::string hint, std::string code);
  bool expect(char c);
  [[nodiscard]] Span from(uint32_t begin) const { return {begin, scan_.position()}; }
  [[nodiscard]] Result<Module> result();

  // Constants.
  bool constant(Constant& out);
  bool number(Constant& out);
  std::string_view decimal_float(uint32_t begin);
  bool unary(Constant& out);
  bool binary(Constant& out, int weakest);
  bool parenthesised(Constant& out);
  bool small_number(uint32_t& out);

  // Operands.
  bool operand(Operand& out);
  bool simple_operand(Operand& out);
  bool named_operand(Operand& out);
  bool constant_operand(Operand& out);
  bool vector_operand(Operand& out);
  bool address_operand(Operand& out);
  bool plain_address(Operand& out);
  bool selector(Operand& out);
  bool resolve_name(std::string_view name, Operand& out);
  bool resolve_numbered(std::string_view name, Operand& out);
  bool offset(uint64_t& out);
  bool operand_offset(Operand& out);
  uint32_t append(const std::vector<Operand>& operands, size_t from);
  void adopt_children(Operand& parent, size_t from);

  // Instructions.
  bool instruction(uint32_t begin, std::string_view first_word);
  bool guarded_instruction();
  bool spelling_of(std::string_view text, uint32_t begin, uint32_t& out);
  bool call_operands();
  bool call_list(Operand& out);
  void check_since(const Spelling& spelling, Span span);

  // Functions.
  bool function(Linkage linkage, bool is_entry, uint32_t begin);
  bool signature(Function& function);
  bool directives(Signature& out);
  bool directive(std::string_view word, Signature& out, bool& known);
  bool finish_function(uint32_t index, bool has_body);
  void link_definitions();
  bool body();
  bool statement();
  bool directive_statement();
  bool name_statement();
  bool label_statement(std::string_view name, uint32_t begin);
  bool open_block();
  bool close_block();
  bool resolve_labels(size_t from, bool last);
  bool target_list(std::string_view name, bool is_call);
  bool prototype(std::string_view name);
  bool location();
  bool register_declaration();
  bool register_declarator(RegisterRange range);
  bool pragma(std::vector<Directive>& out);

  // Variables.
  bool variable_declaration(Space space, Linkage linkage);
  bool variable_prefix(Variable& variable);
  bool variable_attribute(std::string_view word, Variable& variable);
  bool declarator(Variable variable);
  bool dimensions(Variable& variable);
  bool initializer(Variable& variable);
  bool initial_value(Variable& variable);
  bool initial_name(InitialValue& value);
  bool parameter_list(std::vector<uint32_t>& out, bool declare);
  bool parameter(std::vector<uint32_t>& out, bool declare);
  bool hidden_parameter();
  bool declare_name(std::string_view name, Meaning meaning, uint32_t index, Span span);

  // The module.
  bool module_statement();
  bool module_directive(std::string_view word, uint32_t begin);
  bool linked(Linkage linkage, uint32_t begin);
  bool version();
  bool target();
  bool address_size();
  bool file();
  bool section();
  bool alias();

  /// A label that is not known yet: operand `index`, or entry `index` of target list `list`.
  struct PendingLabel {
    uint32_t name;
    uint32_t index;
    uint32_t list = UINT32_MAX;
    Span span = {};
  };

  std::shared_ptr<const Source> source_;
  Scanner scan_;
  Module module_;
  Names names_;
  Names spelling_numbers_;         // spelling text -> index into module_.spellings
  Function* function_ = nullptr;   // being parsed
  std::vector<Operand> operands_;  // of the instruction being parsed, and of what it contains
  std::vector<PendingLabel> pending_;
  std::vector<size_t> pending_of_block_;
  uint32_t location_ = 0;
  uint32_t located_asm_ = 0;  // the inline assembly that has its .loc
  int exact_numbered_ = 0;    // registers declared under a name that ends in a digit
  int depth_ = 0;             // of parentheses
  std::vector<Diagnostic> faults_;
};

}  // namespace warpledger::ptx
