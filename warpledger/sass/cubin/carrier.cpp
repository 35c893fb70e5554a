#include "warpledger/sass/cubin/carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "warpledger/base/units.h"
#include "warpledger/sass/cubin/closed_library.h"

namespace warpledger::sass {
namespace {

constexpr std::string_view kSection = ".warpledger_cubin";
constexpr uint8_t kObjectSymbol = 1;
constexpr uint64_t kWord = 8;
// Three bytes are four characters; a line is one word of PTX, so that the parser passes it quickly.
constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";
constexpr char kLineStart = '_';
constexpr size_t kLineBytes = 192;

uint64_t aligned(uint64_t at, uint64_t step) {
  return static_cast<uint64_t>(round_up(static_cast<int64_t>(at), static_cast<int64_t>(step)));
}

Diagnostic cannot_carry(const std::string& name, const std::string& why) {
  return {.message = fmt::format("the machine code of '{}' cannot be run: {}", name, why),
          .code = "unsupported-cubin"};
}

bool is_identifier(std::string_view name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits) &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0;
}

class Writer {
 public:
  Writer(const std::string& name, const Cubin& cubin) : name_(name), cubin_(cubin) {}

  Result<std::string> run(std::string_view bytes) {
    text_ = fmt::format(".version 8.0\n.target sm_{}\n.address_size 64\n", cubin_.architecture);
    add_functions();
    for (const ElfSymbol& symbol : cubin_.elf.symbols) WL_TRY_STATUS(add_variable(symbol));
    for (const CubinFunction& function : cubin_.functions) {
      if (function.is_entry) WL_TRY_STATUS(add_kernel(function));
    }
    add_bytes(bytes);
    return std::move(text_);
  }

 private:
  /// Those whose addresses variables hold: a table of functions, a virtual table.
  void add_functions() {
    std::set<uint32_t> named;
    for (const ElfRelocation& one : cubin_.elf.relocations_of(cubin_.elf.find(".nv.global.init")))
      named.insert(one.symbol);
    for (const uint32_t index : named) {
      if (index >= cubin_.elf.symbols.size()) continue;
      const ElfSymbol& symbol = cubin_.elf.symbols[index];
      if (symbol.type == kFunctionSymbol && is_identifier(symbol.name))
        text_ += fmt::format(".visible .func {}()\n{{\n  ret;\n}}\n", symbol.name);
    }
  }

  Status add_variable(const ElfSymbol& symbol) {
    if (symbol.type != kObjectSymbol || symbol.size == 0) return {};
    if (symbol.section == 0 || symbol.section >= cubin_.elf.sections.size()) return {};
    const ElfSection& section = cubin_.elf.sections[symbol.section];
    const bool is_constant = section.name == ".nv.constant3";
    if (!is_constant && section.name != ".nv.global" && section.name != ".nv.global.init")
      return {};
    if (!is_identifier(symbol.name))
      return cannot_carry(name_,
                          fmt::format("variable name '{}' is not a PTX identifier", symbol.name));
    WL_TRY(const std::string initial, initial_of(symbol, section));
    const uint64_t unit = symbol.size % kWord == 0 ? kWord : 1;
    text_ +=
        fmt::format(".visible .{} .align 16 .b{} {}[{}]{};\n", is_constant ? "const" : "global",
                    8 * unit, symbol.name, symbol.size / unit, initial);
    return {};
  }

  /// " = {...}", in words where the size allows; "" of what begins as zeros.
  Result<std::string> initial_of(const ElfSymbol& symbol, const ElfSection& section) const {
    if (symbol.value > section.bytes.size() || symbol.size > section.bytes.size() - symbol.value)
      return std::string();
    const uint64_t unit = symbol.size % kWord == 0 ? kWord : 1;
    const auto relocations = cubin_.elf.relocations_of(symbol.section);
    std::string text;
    for (uint64_t at = symbol.value; at < symbol.value + symbol.size; at += unit) {
      WL_TRY(const std::string value, value_at(symbol, section, relocations, at, unit));
      text += (text.empty() ? "" : ", ") + value;
    }
    return " = {" + text + "}";
  }

  Result<std::string> value_at(const ElfSymbol& symbol, const ElfSection& section,
                               const std::vector<ElfRelocation>& relocations, uint64_t at,
                               uint64_t unit) const {
    const uint64_t number = read_number(section.bytes, at, unit);
    const auto relocation = std::find_if(
        relocations.begin(), relocations.end(),
        [&](const ElfRelocation& one) { return one.offset >= at && one.offset < at + unit; });
    if (relocation == relocations.end()) return fmt::format("{}", number);
    const auto& symbols = cubin_.elf.symbols;
    const uint8_t type = relocation->symbol < symbols.size() ? symbols[relocation->symbol].type : 0;
    if (relocation->offset == at && unit == kWord && type == kFunctionSymbol)
      return std::string(symbols[relocation->symbol].name);
    if (relocation->offset != at || unit != kWord || type != kObjectSymbol)
      return cannot_carry(name_,
                          fmt::format("what the variable '{}' points to has no name", symbol.name));
    return fmt::format("generic({})+{}", symbols[relocation->symbol].name,
                       relocation->addend ? static_cast<uint64_t>(*relocation->addend) : number);
  }

  Status add_kernel(const CubinFunction& function) {
    if (!is_identifier(function.name))
      return cannot_carry(name_,
                          fmt::format("kernel name '{}' is not a PTX identifier", function.name));
    text_ += fmt::format(".visible .entry {}(", function.name);
    uint64_t end = 0;
    for (const CubinParameter& parameter : function.parameters) {
      WL_TRY(const std::string type, type_of(parameter, end));
      text_ += fmt::format("{}\n  .param {}", parameter.ordinal == 0 ? "" : ",",
                           fmt::format(fmt::runtime(type), fmt::format("{}_param_{}", function.name,
                                                                       parameter.ordinal)));
      end = parameter.offset + parameter.bytes;
    }
    text_ += ")\n{\n";
    // Named in the body: what nothing names has no place in a kernel's layout.
    if (function.static_shared_bytes != 0)
      text_ += fmt::format(
          "  .shared .align 16 .b8 {0}_shared[{1}];\n  .reg .b64 %rd<2>;\n"
          "  mov.u64 %rd1, {0}_shared;\n",
          function.name, function.static_shared_bytes);
    text_ += "  ret;\n}\n";
    return {};
  }

  /// A declaration that PTX's rules put at the parameter's place, "{}" for its name.
  Result<std::string> type_of(const CubinParameter& parameter, uint64_t end) const {
    const uint64_t bytes = parameter.bytes;
    const bool is_scalar = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (is_scalar && aligned(end, bytes) == parameter.offset)
      return fmt::format(".b{} {{}}", 8 * bytes);
    for (const uint64_t align : {1, 2, 4, 8, 16, 32, 64, 128}) {
      if (aligned(end, align) == parameter.offset)
        return fmt::format(".align {} .b8 {{}}[{}]", align, bytes);
    }
    return cannot_carry(name_, "PTX cannot declare its parameters at their offsets");
  }

  /// Its size, then lines of kLineBytes each. A line of zeros is its first character alone.
  void add_bytes(std::string_view bytes) {
    text_ += fmt::format(".section {} {{\n.b64 {}\n", kSection, bytes.size());
    text_.reserve(text_.size() + bytes.size() / 2 * 3);
    for (size_t at = 0; at < bytes.size(); at += kLineBytes) {
      const std::string_view line = bytes.substr(at, kLineBytes);
      text_ += kLineStart;
      if (line.find_first_not_of('\0') != std::string_view::npos) add_digits(line);
      text_ += '\n';
    }
    text_ += "}\n";
  }

  void add_digits(std::string_view line) {
    for (size_t at = 0; at < line.size(); at += 3) {
      uint32_t three = 0;
      for (size_t i = 0; i < 3 && at + i < line.size(); ++i)
        three |= uint32_t{static_cast<uint8_t>(line[at + i])} << (8 * i);
      for (int i = 0; i < 4; ++i) text_ += kDigits[three >> (6 * i) & 63];
    }
  }

  const std::string& name_;
  const Cubin& cubin_;
  std::string text_;
};

const ptx::Section* section_of(const ptx::Module& module) {
  for (const ptx::Section& section : module.sections) {
    if (section.name == kSection) return &section;
  }
  return nullptr;
}

/// What each character stands for among kDigits.
std::array<uint8_t, 256> digit_values() {
  std::array<uint8_t, 256> values{};
  for (size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<uint8_t>(kDigits[i])] = static_cast<uint8_t>(i);
  return values;
}

/// kLineBytes more, from the characters of a line behind its first.
void read_digits(std::string_view digits, std::string& bytes) {
  static const std::array<uint8_t, 256> values = digit_values();
  const size_t end = bytes.size() + kLineBytes;
  for (size_t at = 0; at + 4 <= digits.size(); at += 4) {
    uint32_t three = 0;
    for (size_t i = 0; i < 4; ++i)
      three |= uint32_t{values[static_cast<uint8_t>(digits[at + i])]} << (6 * i);
    for (int i = 0; i < 3; ++i) bytes += static_cast<char>(three >> (8 * i));
  }
  bytes.resize(end);
}

}  // namespace

Result<std::string> carry_cubin(const std::string& name, std::string_view bytes) {
  WL_TRY(const Cubin cubin, read_cubin(bytes));
  WL_TRY_STATUS(check_open(name, cubin));
  return Writer(name, cubin).run(bytes);
}

bool is_carrier(const ptx::Module& module) { return section_of(module) != nullptr; }

std::optional<std::string> carried_cubin(const ptx::Module& module) {
  const ptx::Section* section = section_of(module);
  if (section == nullptr) return {};
  std::string_view text = section->text;
  constexpr std::string_view kSize = ".b64 ";
  const size_t at = text.find(kSize);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kSize.size());
  size_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  std::string bytes;
  bytes.reserve(std::min(size, text.size()) + kLineBytes);
  for (size_t line = text.find(kLineStart); line != std::string_view::npos;) {
    const size_t end = std::min(text.find('\n', line), text.size());
    read_digits(text.substr(line + 1, end - line - 1), bytes);
    line = end + 1 < text.size() && text[end + 1] == kLineStart ? end + 1 : std::string_view::npos;
  }
  if (bytes.size() < size) return {};
  bytes.resize(size);
  return bytes;
}

}  // namespace warpledger::sass
