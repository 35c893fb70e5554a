#include "warpledger/layout/catalog/fragment.h"

#include <fmt/core.h>

#include <array>
#include <charconv>

#include "warpledger/layout/catalog/rules.h"

namespace warpledger {
namespace {

struct ElementFacts {
  Element element;
  std::string_view name;
  int bits;
};
constexpr std::array<ElementFacts, 16> kElements = {{{Element::kB1, "b1", 1},
                                                     {Element::kS4, "s4", 4},
                                                     {Element::kU4, "u4", 4},
                                                     {Element::kE2m1, "e2m1", 4},
                                                     {Element::kS8, "s8", 8},
                                                     {Element::kU8, "u8", 8},
                                                     {Element::kE4m3, "e4m3", 8},
                                                     {Element::kE5m2, "e5m2", 8},
                                                     {Element::kE3m2, "e3m2", 8},
                                                     {Element::kE2m3, "e2m3", 8},
                                                     {Element::kF16, "f16", 16},
                                                     {Element::kBf16, "bf16", 16},
                                                     {Element::kTf32, "tf32", 32},
                                                     {Element::kF32, "f32", 32},
                                                     {Element::kS32, "s32", 32},
                                                     {Element::kF64, "f64", 64}}};

const ElementFacts& facts_of(Element element) {
  for (const ElementFacts& facts : kElements) {
    if (facts.element == element) return facts;
  }
  WL_CHECK(false);
  return kElements[0];
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t dot = std::min(text.find('.', begin), text.size());
    words.emplace_back(text.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return words;
}

std::optional<Family> parse_family(std::string_view word) {
  if (word == "mma") return Family::kMma;
  if (word == "wmma") return Family::kWmma;
  if (word == "wgmma") return Family::kWgmma;
  return std::nullopt;
}

std::optional<Operand> parse_operand(std::string_view word) {
  if (word == "A" || word == "a") return Operand::kA;
  if (word == "B" || word == "b") return Operand::kB;
  if (word == "C" || word == "c" || word == "D" || word == "d") return Operand::kC;
  return std::nullopt;
}

Diagnostic bad_name(std::string_view name, std::string_view part, std::string_view word) {
  return Diagnostic{
      .message = fmt::format("'{}' in the fragment name '{}' is not a valid {}", word, name, part),
      .hint =
          "a name is family.shape.operand.type, as in wmma.m16n16k16.C.f32 or "
          "mma.m16n8k16.A.f16; `warpledger layout list` shows all",
      .code = "bad-fragment-name"};
}

}  // namespace

int bits_of(Element element) { return facts_of(element).bits; }
std::string_view to_text(Element element) { return facts_of(element).name; }

std::optional<Element> parse_element(std::string_view word) {
  for (const ElementFacts& facts : kElements) {
    if (facts.name == word) return facts.element;
  }
  return std::nullopt;
}

char to_letter(Operand operand) {
  return operand == Operand::kA ? 'A' : operand == Operand::kB ? 'B' : 'C';
}

std::string to_text(const MatrixShape& shape) {
  return fmt::format("m{}n{}k{}", shape.m, shape.n, shape.k);
}

std::optional<MatrixShape> parse_shape(std::string_view word) {
  MatrixShape shape;
  for (auto [letter, part] : {std::pair{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}}) {
    if (!word.starts_with(letter)) return std::nullopt;
    word.remove_prefix(1);
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), *part);
    if (fault != std::errc() || *part < 1 || *part > 1024) return std::nullopt;
    word.remove_prefix(static_cast<size_t>(end - word.data()));
  }
  if (!word.empty()) return std::nullopt;
  return shape;
}

std::string name_of(const FragmentKey& key) {
  const std::string_view family = key.family == Family::kMma    ? "mma"
                                  : key.family == Family::kWmma ? "wmma"
                                                                : "wgmma";
  return fmt::format("{}.{}.{}.{}{}", family, to_text(key.shape), to_letter(key.operand),
                     to_text(key.element), key.column_major ? ".col" : "");
}

Result<Fragment> find_fragment(const FragmentKey& key) {
  switch (key.family) {
    case Family::kMma:
      return catalog::find_mma(key);
    case Family::kWmma:
      return catalog::find_wmma(key);
    case Family::kWgmma:
      break;
  }
  return catalog::find_wgmma(key);
}

Result<FragmentKey> parse_fragment_name(std::string_view name) {
  const std::vector<std::string> words = split(name);
  if (words.size() < 4 || words.size() > 5) return bad_name(name, "complete name", name);
  const auto family = parse_family(words[0]);
  const auto shape = parse_shape(words[1]);
  const auto operand = parse_operand(words[2]);
  const auto element = parse_element(words[3]);
  if (!family) return bad_name(name, "family (mma, wmma, wgmma)", words[0]);
  if (!shape) return bad_name(name, "shape", words[1]);
  if (!operand) return bad_name(name, "operand (A, B, C)", words[2]);
  if (!element) return bad_name(name, "element type", words[3]);
  if (words.size() == 5 && words[4] != "row" && words[4] != "col") {
    return bad_name(name, "memory order (row, col)", words[4]);
  }
  return FragmentKey{*family, *shape, *operand, *element, words.size() == 5 && words[4] == "col"};
}

Result<Fragment> find_fragment(std::string_view name, int arch) {
  WL_TRY(FragmentKey key, parse_fragment_name(name));
  const int newest = 1000;
  const int usual = key.family == Family::kWmma ? 80 : key.family == Family::kWgmma ? 90 : newest;
  key.arch = arch == 0 ? usual : arch;
  return find_fragment(key);
}

Result<int> parse_arch(std::string_view word) {
  std::string_view digits = word;
  if (digits.starts_with("sm_")) digits.remove_prefix(3);
  int arch = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), arch);
  const std::string_view rest(end, static_cast<size_t>(digits.data() + digits.size() - end));
  const bool suffix = rest.empty() || rest == "a" || rest == "f";
  if (fault != std::errc() || arch < 70 || arch > 199 || !suffix) {
    return Diagnostic{.message = fmt::format("'{}' is not an architecture with tensor cores", word),
                      .hint = "write it as sm_80, sm_90a, sm_120",
                      .code = "unknown-arch"};
  }
  return arch;
}

std::vector<ElementPlace> element_places(const Fragment& fragment) {
  const auto registers = static_cast<uint64_t>(fragment.map.from().size_of("register"));
  const auto rows = static_cast<uint64_t>(fragment.map.to().size_of("row"));
  const auto cols = static_cast<uint64_t>(fragment.map.to().size_of("col"));
  const auto elements = static_cast<uint64_t>(fragment.elements);
  const auto threads = static_cast<uint64_t>(fragment.threads());
  std::vector<ElementPlace> places;
  places.reserve(threads * elements);
  for (uint64_t thread = 0; thread < threads; ++thread) {
    for (uint64_t i = 0; i < elements; ++i) {
      const uint64_t at = fragment.map(thread * registers + i);
      places.push_back({static_cast<int16_t>(at % rows), static_cast<int16_t>(at / rows % cols)});
    }
  }
  return places;
}

std::vector<std::string> fragment_names(int arch) {
  std::vector<std::string> names;
  for (const auto& keys :
       {catalog::mma_keys(arch), catalog::wmma_keys(arch), catalog::wgmma_keys(arch)}) {
    for (const FragmentKey& key : keys) names.push_back(name_of(key));
  }
  return names;
}

}  // namespace warpledger
