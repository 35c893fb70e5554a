#include "warpledger/sass/cubin/cut_kernel.h"

#include <algorithm>
#include <unordered_set>

#include "warpledger/sass/cubin/attributes.h"

namespace warpledger::sass {
namespace {

constexpr uint64_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint64_t kProgramsAt = 32, kSectionsAt = 40, kProgramCountAt = 56, kNamesAt = 62;
constexpr uint64_t kOffsetField = 24, kSizeField = 32, kAlignField = 48;  // of a section's header
constexpr uint32_t kSymbolTable = 2, kRela = 4, kNoBits = 8, kRel = 9;
constexpr std::string_view kCode = ".text.";

void put(std::string& bytes, uint64_t at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

void align(std::string& bytes, uint64_t step) {
  if (step > 1) bytes.resize((bytes.size() + step - 1) / step * step);
}

/// Names one after another, each with its NUL; the empty one is at 0.
class Names {
 public:
  uint64_t add(std::string_view name) {
    if (name.empty()) return 0;
    const uint64_t at = text_.size();
    text_.append(name).push_back('\0');
    return at;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

class Cutter {
 public:
  Cutter(std::string_view bytes, const Cubin& cubin, const CubinFunction& kernel)
      : bytes_(bytes), elf_(cubin.elf), is_gone_(elf_.sections.size()) {
    find_others(cubin, kernel);
    for (size_t i = 1; i < elf_.sections.size(); ++i) is_gone_[i] = is_gone_[i] || belongs(i);
  }

  std::string run() {
    out_ = bytes_.substr(0, kHeaderBytes);
    headers_.assign(elf_.sections.size() * kSectionBytes, '\0');
    for (size_t i = 0; i < elf_.sections.size(); ++i)
      if (!is_gone_[i]) add_header(i);
    for (size_t i = 0; i < elf_.sections.size(); ++i)
      if (!is_gone_[i] && !holds_names(i)) add_content(i, content_of(i));
    for (size_t i = 0; i < elf_.sections.size(); ++i)  // now that all names are known
      if (!is_gone_[i] && holds_names(i)) add_content(i, names_.text());
    finish();
    return std::move(out_);
  }

 private:
  void find_others(const Cubin& cubin, const CubinFunction& kernel) {
    for (const CubinFunction& function : cubin.functions) {
      if (!function.is_entry || function.section == kernel.section) continue;
      is_gone_[function.section] = true;
      const std::string_view section = elf_.sections[function.section].name;
      if (section.starts_with(kCode)) others_.insert(section.substr(kCode.size()));
    }
  }

  /// Whether a section goes with a kernel that is gone: ".nv.constant0.k" with k.
  bool belongs(size_t index) const {
    const ElfSection& section = elf_.sections[index];
    if (section.name.find(".debug_") != std::string_view::npos ||
        section.name.find(".nv_debug_") != std::string_view::npos ||
        section.name == ".nv.callgraph")
      return true;
    if ((section.type == kRel || section.type == kRela) && section.info < is_gone_.size() &&
        is_gone_[section.info])
      return true;
    for (size_t dot = section.name.find('.'); dot != std::string_view::npos;
         dot = section.name.find('.', dot + 1))
      if (others_.contains(section.name.substr(dot + 1))) return true;
    return false;
  }

  bool is_gone(const ElfSymbol& symbol) const {
    return symbol.section < is_gone_.size() && is_gone_[symbol.section];
  }

  size_t symbol_table() const {
    const auto found = std::find_if(elf_.sections.begin(), elf_.sections.end(),
                                    [](const auto& one) { return one.type == kSymbolTable; });
    return static_cast<size_t>(found - elf_.sections.begin());
  }

  /// Of sections or symbols: one text serves both.
  bool holds_names(size_t index) const {
    const size_t symbols = symbol_table();
    return index != 0 && (index == read_number(bytes_, kNamesAt, 2) ||
                          (symbols < elf_.sections.size() && elf_.sections[symbols].link == index));
  }

  std::string content_of(size_t index) {
    if (index == symbol_table()) return symbols_of(elf_.sections[index]);
    if (elf_.sections[index].name == ".nv.info") return attributes_of(elf_.sections[index]);
    return std::string(elf_.sections[index].bytes);
  }

  std::string symbols_of(const ElfSection& table) {
    std::string symbols(table.bytes);
    for (size_t i = 0; i < elf_.symbols.size(); ++i) {
      if (is_gone(elf_.symbols[i])) {
        std::fill_n(symbols.begin() + static_cast<ptrdiff_t>(i * kSymbolBytes), kSymbolBytes, '\0');
      } else {
        put(symbols, i * kSymbolBytes, names_.add(elf_.symbols[i].name), 4);
      }
    }
    return symbols;
  }

  /// Pairs (symbol, value) of functions that are gone name no function: nvdisasm refuses them.
  std::string attributes_of(const ElfSection& section) const {
    std::string kept;
    each_attribute(section.bytes, [&](const Attribute& one) {
      const uint64_t symbol = read_number(one.value, 0, 4);
      const bool is_other =
          is_of_function(one) && symbol < elf_.symbols.size() && is_gone(elf_.symbols[symbol]);
      if (!is_other) kept += one.bytes;
    });
    return kept;
  }

  void add_header(size_t index) {
    const uint64_t table = read_number(bytes_, kSectionsAt, 8);
    const std::string_view header = bytes_.substr(table + index * kSectionBytes, kSectionBytes);
    std::copy(header.begin(), header.end(),
              headers_.begin() + static_cast<ptrdiff_t>(index * kSectionBytes));
    put(headers_, index * kSectionBytes, names_.add(elf_.sections[index].name), 4);
  }

  void add_content(size_t index, const std::string& content) {
    if (elf_.sections[index].type == 0) return;
    constexpr uint64_t kMostAlignment = 128;
    const uint64_t header = index * kSectionBytes;
    align(out_, std::min(read_number(headers_, header + kAlignField, 8), kMostAlignment));
    put(headers_, header + kOffsetField, out_.size(), 8);
    if (elf_.sections[index].type == kNoBits) return;
    put(headers_, header + kSizeField, content.size(), 8);
    out_ += content;
  }

  void finish() {
    align(out_, 8);
    put(out_, kSectionsAt, out_.size(), 8);
    put(out_, kProgramsAt, 0, 8);
    put(out_, kProgramCountAt, 0, 2);
    out_ += headers_;
  }

  std::string_view bytes_;
  const Elf& elf_;
  std::vector<bool> is_gone_;                    // by section
  std::unordered_set<std::string_view> others_;  // kernels that are gone
  Names names_;
  std::string out_, headers_;
};

}  // namespace

std::string cut_kernel(std::string_view bytes, const Cubin& cubin, std::string_view kernel) {
  const CubinFunction* found = cubin.find(kernel);
  if (found == nullptr || !found->is_entry) return std::string(bytes);
  return Cutter(bytes, cubin, *found).run();
}

}  // namespace warpledger::sass
