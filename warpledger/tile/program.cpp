#include "warpledger/tile/program.h"

#include <algorithm>
#include <array>

namespace warpledger::tile {
namespace {

struct NamedBytes {
  std::string_view name;
  int bytes;
};
constexpr std::array<NamedBytes, 11> kTypes = {{{"f64", 8},
                                                {"f32", 4},
                                                {"tf32", 4},
                                                {"f16", 2},
                                                {"bf16", 2},
                                                {"e4m3", 1},
                                                {"e5m2", 1},
                                                {"i32", 4},
                                                {"i16", 2},
                                                {"i8", 1},
                                                {"u8", 1}}};

}  // namespace

std::string_view to_text(Space space) {
  switch (space) {
    case Space::kGlobal:
      return "global";
    case Space::kShared:
      return "shared";
    case Space::kTmem:
      return "tmem";
    case Space::kRegisters:
      return "registers";
  }
  return "";
}

std::string_view to_text(Role role) {
  switch (role) {
    case Role::kInput:
      return "input";
    case Role::kOutput:
      return "output";
    case Role::kScratch:
      return "scratch";
  }
  return "";
}

std::optional<ElementType> element_type(std::string_view name) {
  for (const NamedBytes& type : kTypes) {
    if (type.name == name) return ElementType{std::string(name), type.bytes};
  }
  return std::nullopt;
}

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const NamedBytes& type : kTypes) names.emplace_back(type.name);
  return names;
}

const Tensor* Program::tensor(std::string_view wanted) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const Tensor& t) { return t.name == wanted; });
  return found == tensors.end() ? nullptr : &*found;
}

Sizes Program::known_sizes() const {
  Sizes known;
  for (const Size& size : sizes) {
    if (size.value) known[size.name] = *size.value;
  }
  return known;
}

Diagnostic fault(const Program& program, Span span, std::string message, std::string hint,
                 std::string code) {
  Diagnostic diagnostic{std::move(message), std::move(hint), std::move(code)};
  if (program.source && span.end > span.begin) diagnostic.at = program.source->locate(span);
  return diagnostic;
}

}  // namespace warpledger::tile
