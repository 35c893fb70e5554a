// ptx/: PTX text in, a resolved and checked Module out; its control flow; and back to text.
//
// The room knows the language: spellings (spelling.h, from the table in opcode.h), names, types,
// control flow (cfg.h). It knows nothing of execution, memory or GPUs beyond what the text says.
//
// How to run a Module (for the authors of an interpreter or a compiler):
//   1. parse(source) (parser.h) gives a Module in which every name is resolved to an index, every
//      operand fits its opcode's form and every register its type. Nothing needs checking again.
//   2. Decode per spelling, not per instruction: module.spellings is short, at most a few hundred
//      entries. Spelling::op() says which semantics; type(i), get(Slot), has(Modifier), space(n),
//      vector and shape say which variant;
//      tier() says whether it is to be refused by name.
//   3. function.instructions is the straight array to execute; control flow refers to positions in
//      it (Label::instruction; one past the last means falling off the end, which is `ret`).
//      Statements hold the rest of the text (declarations, blocks, .loc) and matter to the printer.
//   4. An instruction's operands stand in the order of its text; d|p and {a, b} are one operand
//      with children, so positions never shift.
//      `call` always has four: results (kList), callee, arguments (kList), and targets or
//      prototype (kNone when absent).
//   5. Registers are numbered from 0 within a function, 0 .. register_count()-1; a vector register
//      is one number with `width` components. Variables are numbered within the module: globals,
//      shared, parameters, locals; sizes and alignment are in Variable.
//   6. Instruction::location leads to the .loc in force: the source line of every instruction.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "warpledger/ptx/operand.h"
#include "warpledger/ptx/special_register.h"
#include "warpledger/ptx/spelling.h"

namespace warpledger::ptx {

enum class Linkage : uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

/// `count` registers of one .reg: %r<8> declares %r0 .. %r7 (is_numbered), else `prefix` is the
/// name.
struct RegisterRange {
  std::string_view prefix;
  Type type = Type::kNone;
  uint8_t width = 1;  // .v2 .v4
  bool is_numbered = false;
  uint32_t first = 0;
  uint32_t count = 1;
  Span span = {};
};

/// One value of an initializer. `mask` of 0xff00(var) is a byte mask, 0 when there is none.
struct InitialValue {
  enum class Kind : uint8_t { kInteger, kFloat32, kFloat64, kVariable, kFunction, kOpen, kClose };
  Kind kind = Kind::kInteger;  // kOpen, kClose: braces inside
  bool is_generic = false;     // generic(var)
  bool is_unsigned = false;
  uint32_t index = 0;  // of the variable or function
  uint64_t value = 0;  // the bits, or the byte offset
  uint64_t mask = 0;
};

/// Anything with an address: a module's or a function's variable, a parameter.
struct Variable {
  std::string_view name;  // "_" for an unnamed parameter of a prototype
  Space space = Space::kGlobal;
  Type type = Type::kNone;
  Linkage linkage = Linkage::kNone;
  uint8_t width = 1;  // .v2 .v4
  bool is_array = false;
  bool is_unsized = false;  // x[]: dynamic shared memory, or a size that another module knows
  bool is_managed = false;
  bool is_pointer = false;  // .ptr of a kernel parameter
  Space pointer_space = Space::kGeneric;
  uint32_t pointer_align = 0;  // 0: not said
  uint32_t align = 0;          // as written; 0: the natural one, see alignment()
  uint32_t const_bank = 0;
  std::vector<uint64_t> dimensions = {};
  std::vector<InitialValue> initial = {};
  std::string_view opaque_initial = {};  // of a sampler: kept as text
  std::string_view attribute = {};       // .attribute(…) as text
  uint32_t reg = 0;                      // of a parameter in registers: which one
  Span span = {};

  [[nodiscard]] uint64_t element_bytes() const;
  [[nodiscard]] uint64_t bytes() const;  // 0 when unsized
  [[nodiscard]] uint32_t alignment() const;
};

struct Label {
  std::string_view name;
  uint32_t instruction = 0;
  Span span = {};
};

/// .branchtargets (labels of the function) or .calltargets (functions of the module).
struct TargetList {
  std::string_view name;
  bool is_call = false;
  std::vector<uint32_t> targets = {};
  std::vector<Span> spans = {};
};

enum class DirectiveKind : uint8_t {
  kMaxntid,
  kReqntid,
  kMinnctapersm,
  kMaxnctapersm,
  kMaxnreg,
  kReqnctapercluster,
  kExplicitcluster,
  kMaxclusterrank,
  kBlocksareclusters,
  kNoreturn,
  kAbiPreserve,
  kAbiPreserveControl,
  kPragma,
};
[[nodiscard]] std::string_view to_text(DirectiveKind kind);

struct Directive {
  DirectiveKind kind = DirectiveKind::kPragma;
  std::vector<uint32_t> values = {};
  std::string_view text = {};  // of .pragma, with its quotes
};

struct Signature {
  std::vector<uint32_t> results = {};  // variables
  std::vector<uint32_t> params = {};
  std::vector<Directive> directives = {};
  bool is_tile = false;  // .language 7: a CUDA Tile kernel, launched with one thread per block
};

/// .callprototype: what an indirect call passes.
struct Prototype {
  std::string_view name;
  Signature signature;
};

/// A .loc: `file` is a number of .file, 0 for none.
struct SourcePlace {
  uint32_t file = 0, line = 0, column = 0;
};
struct SourceLocation {
  SourcePlace at;
  bool is_inlined = false;
  std::string_view function_name = {};  // a label of the .debug_str section
  int64_t function_offset = 0;
  SourcePlace inlined_at = {};
};

enum class StatementKind : uint8_t {
  kInstruction,
  kLabel,
  kLocation,
  kRegisters,
  kVariable,
  kBlockOpen,
  kBlockClose,
  kTargets,
  kPrototype,
  kPragma,
  // of a module only:
  kFunction,
  kFile,
  kSection,
  kAlias,
};

/// A line of a body or of the module, in order; `index` into the array of its kind.
struct Statement {
  StatementKind kind = StatementKind::kInstruction;
  uint32_t index = 0;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  Linkage linkage = Linkage::kNone;
  uint32_t definition = 0;  // the function of this name that has a body; itself when none has
  std::string_view attribute = {};
  Signature signature = {};
  std::vector<Statement> body = {};
  std::vector<Instruction> instructions = {};
  std::vector<Operand> operands = {};
  std::vector<RegisterRange> registers = {};  // sorted by first
  std::vector<Label> labels = {};
  std::vector<TargetList> targets = {};
  std::vector<Prototype> prototypes = {};
  std::vector<SourceLocation> locations = {};
  std::vector<Directive> pragmas = {};
  Span span = {};

  [[nodiscard]] uint32_t register_count() const;
  /// The range that register `reg` belongs to.
  [[nodiscard]] const RegisterRange& range_of(uint32_t reg) const;
  [[nodiscard]] std::string register_name(uint32_t reg) const;
  [[nodiscard]] std::span<const Operand> operands_of(const Instruction& instruction) const {
    return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
  }
  /// What a vector, pair, tensor address or list contains.
  [[nodiscard]] std::span<const Operand> children(const Operand& operand) const {
    return std::span(operands).subspan(operand.index, operand.value);
  }
  /// The .loc in force at an instruction; null without one.
  [[nodiscard]] const SourceLocation* location_of(const Instruction& instruction) const;
};

struct SourceFile {
  uint32_t number = 0;
  std::string_view name;  // without quotes
  bool has_time = false;
  uint64_t time = 0, size = 0;
};

struct Section {
  std::string_view name;
  std::string_view text;  // between the braces, as it stands
};

/// .alias function, target: a declared function takes the body of another.
struct Alias {
  uint32_t function = 0, target = 0;
};

/// sm_90a: number 90, variant 'a'; `options` are the further words of .target.
struct Target {
  std::string_view text;
  int number = 0;
  char variant = 0;
  std::vector<std::string_view> options = {};
};

struct Module {
  std::shared_ptr<const Source> source;  // every string_view points into it
  int version = 0;                       // times ten: 88 for 8.8
  Target target = {};
  int address_size = 32;  // 64 in every module of today
  bool has_address_size = false;
  std::vector<Statement> statements = {};
  std::vector<Spelling> spellings = {};
  std::vector<Variable> variables = {};
  std::vector<Function> functions = {};
  std::vector<SourceFile> files = {};
  std::vector<Section> sections = {};
  std::vector<Alias> aliases = {};
  std::vector<Directive> pragmas = {};

  [[nodiscard]] const Spelling& spelling(const Instruction& instruction) const {
    return spellings[instruction.spelling];
  }
  /// The function of that name with a body, else its declaration; null without either.
  [[nodiscard]] const Function* find(std::string_view name) const;
  /// The path of a .file number; empty when there is none.
  [[nodiscard]] std::string_view file_name(uint32_t number) const;
};

}  // namespace warpledger::ptx
