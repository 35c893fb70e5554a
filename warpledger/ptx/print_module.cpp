// Modules, declarations and bodies to text.
#include <fmt/format.h>

#include "warpledger/ptx/printer.h"

namespace warpledger::ptx {
namespace {

std::string_view linkage_text(Linkage linkage) {
  constexpr std::array kNames = {"", ".extern ", ".visible ", ".weak ", ".common "};
  return kNames[static_cast<size_t>(linkage)];
}

std::string directive_text(const Directive& directive) {
  if (directive.kind == DirectiveKind::kPragma) return fmt::format(".pragma {};", directive.text);
  return fmt::format("{}{}{}", to_text(directive.kind), directive.values.empty() ? "" : " ",
                     fmt::join(directive.values, ", "));
}

std::string with_offset(std::string_view name, uint64_t bytes) {
  return bytes == 0 ? std::string(name) : fmt::format("{}+{}", name, static_cast<int64_t>(bytes));
}

std::string initial_text(const Module& module, const InitialValue& value) {
  using Kind = InitialValue::Kind;
  switch (value.kind) {
    case Kind::kInteger:
      return value.is_unsigned ? fmt::format("{}U", value.value)
                               : fmt::format("{}", static_cast<int64_t>(value.value));
    case Kind::kFloat32:
      return fmt::format("0f{:08X}", value.value);
    case Kind::kFloat64:
      return fmt::format("0d{:016X}", value.value);
    case Kind::kOpen:
      return "{";
    case Kind::kClose:
      return "}";
    case Kind::kVariable:
    case Kind::kFunction:
      break;
  }
  const std::string_view name = value.kind == Kind::kVariable ? module.variables[value.index].name
                                                              : module.functions[value.index].name;
  const std::string text = value.is_generic
                               ? with_offset(fmt::format("generic({})", name), value.value)
                               : with_offset(name, value.value);
  return value.mask == 0 ? text : fmt::format("{:#x}({})", value.mask, text);
}

void print_initializer(const Module& module, const Variable& variable, std::string& out) {
  using Kind = InitialValue::Kind;
  if (!variable.opaque_initial.empty()) out += " = " + std::string(variable.opaque_initial);
  if (variable.initial.empty()) return;
  out += " = ";
  Kind before = Kind::kOpen;
  for (const InitialValue& value : variable.initial) {
    if (before != Kind::kOpen && value.kind != Kind::kClose) out += ", ";
    out += initial_text(module, value);
    before = value.kind;
  }
}

class ModulePrinter {
 public:
  explicit ModulePrinter(const Module& module) : module_(module) {}

  std::string run() {
    line(".version {}.{}", module_.version / 10, module_.version % 10);
    if (!module_.target.text.empty() || !module_.target.options.empty()) {
      std::vector<std::string_view> words = module_.target.options;
      if (!module_.target.text.empty()) words.insert(words.begin(), module_.target.text);
      line(".target {}", fmt::join(words, ", "));
    }
    if (module_.has_address_size) line(".address_size {}", module_.address_size);
    for (const Statement& statement : module_.statements) print_statement(statement);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(indent_, '\t');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void print_statement(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kVariable:
        line("{};", print(module_, module_.variables[statement.index]));
        break;
      case StatementKind::kFunction:
        print_function(module_.functions[statement.index]);
        break;
      case StatementKind::kFile:
        print_file(module_.files[statement.index]);
        break;
      case StatementKind::kSection: {
        const Section& section = module_.sections[statement.index];
        line(".section {} {{{}}}", section.name, section.text);
        break;
      }
      case StatementKind::kAlias: {
        const Alias& alias = module_.aliases[statement.index];
        line(".alias {}, {};", module_.functions[alias.function].name,
             module_.functions[alias.target].name);
        break;
      }
      default:
        line("{}", directive_text(module_.pragmas[statement.index]));
        break;
    }
  }

  void print_file(const SourceFile& file) {
    if (file.has_time) {
      line(".file {} \"{}\", {}, {}", file.number, file.name, file.time, file.size);
    } else {
      line(".file {} \"{}\"", file.number, file.name);
    }
  }

  std::string parameters(const std::vector<uint32_t>& variables) {
    std::string text = "(";
    for (size_t i = 0; i < variables.size(); ++i) {
      if (i != 0) text += ", ";
      text += print(module_, module_.variables[variables[i]]);
    }
    return text + ")";
  }

  std::string signature_text(const Signature& signature, std::string_view name) {
    std::string text;
    if (!signature.results.empty()) text += parameters(signature.results) + " ";
    text += name;
    text += parameters(signature.params);
    for (const Directive& directive : signature.directives) text += " " + directive_text(directive);
    return text;
  }

  void print_function(const Function& function) {
    const std::string head = fmt::format(
        "{}{} {}{}{}", linkage_text(function.linkage), function.is_entry ? ".entry" : ".func",
        function.attribute.empty() ? "" : ".attribute" + std::string(function.attribute),
        function.attribute.empty() ? "" : " ", signature_text(function.signature, function.name));
    line("{}{}", head, function.has_body ? "" : ";");
    if (!function.has_body) return;
    line("{{");
    ++indent_;
    for (const Statement& statement : function.body) print_body_statement(function, statement);
    --indent_;
    line("}}");
  }

  void print_body_statement(const Function& function, const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kInstruction:
        line("{}", print(module_, function, function.instructions[statement.index]));
        break;
      case StatementKind::kLabel:
        line("{}:", function.labels[statement.index].name);
        break;
      case StatementKind::kLocation:
        print_location(function.locations[statement.index]);
        break;
      case StatementKind::kRegisters:
        print_registers(function.registers[statement.index]);
        break;
      case StatementKind::kVariable:
        line("{};", print(module_, module_.variables[statement.index]));
        break;
      case StatementKind::kBlockOpen:
        line("{{");
        ++indent_;
        break;
      case StatementKind::kBlockClose:
        --indent_;
        line("}}");
        break;
      case StatementKind::kTargets:
        print_targets(function, function.targets[statement.index]);
        break;
      case StatementKind::kPrototype: {
        const Prototype& prototype = function.prototypes[statement.index];
        line("{}: .callprototype {};", prototype.name, signature_text(prototype.signature, "_ "));
        break;
      }
      default:
        line("{}", directive_text(function.pragmas[statement.index]));
        break;
    }
  }

  void print_location(const SourceLocation& location) {
    std::string text =
        fmt::format(".loc {} {} {}", location.at.file, location.at.line, location.at.column);
    if (!location.function_name.empty()) {
      text += ", function_name " +
              with_offset(location.function_name, static_cast<uint64_t>(location.function_offset));
    }
    if (location.is_inlined) {
      text += fmt::format(", inlined_at {} {} {}", location.inlined_at.file,
                          location.inlined_at.line, location.inlined_at.column);
    }
    line("{}", text);
  }

  void print_registers(const RegisterRange& range) {
    const std::string vector = range.width > 1 ? fmt::format(".v{} ", range.width) : "";
    const std::string count = range.is_numbered ? fmt::format("<{}>", range.count) : "";
    line(".reg {}.{} {}{};", vector, to_text(range.type), range.prefix, count);
  }

  void print_targets(const Function& function, const TargetList& list) {
    std::vector<std::string_view> names;
    for (const uint32_t target : list.targets) {
      names.push_back(list.is_call ? module_.functions[target].name : function.labels[target].name);
    }
    line("{}: {} {};", list.name, list.is_call ? ".calltargets" : ".branchtargets",
         fmt::join(names, ", "));
  }

  const Module& module_;
  std::string out_;
  size_t indent_ = 0;
};

}  // namespace

std::string print(const Module& module, const Variable& variable) {
  std::string out(linkage_text(variable.linkage));
  out += '.';
  out += to_text(variable.space);
  if (variable.const_bank != 0) out += fmt::format("[{}]", variable.const_bank);
  if (!variable.attribute.empty()) out += " .attribute" + std::string(variable.attribute);
  if (variable.align != 0) out += fmt::format(" .align {}", variable.align);
  if (variable.width > 1) out += fmt::format(" .v{}", variable.width);
  out += fmt::format(" .{}", to_text(variable.type));
  if (variable.is_pointer) out += " .ptr";
  if (variable.pointer_space != Space::kGeneric)
    out += fmt::format(" .{}", to_text(variable.pointer_space));
  if (variable.pointer_align != 0) out += fmt::format(" .align {}", variable.pointer_align);
  out += ' ';
  out += variable.name;
  for (const uint64_t extent : variable.dimensions) {
    out += extent == 0 ? "[]" : fmt::format("[{}]", extent);
  }
  print_initializer(module, variable, out);
  return out;
}

std::string print(const Module& module) { return ModulePrinter(module).run(); }

}  // namespace warpledger::ptx
