#include "warpledger/ptx/special_register.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <unordered_map>

namespace warpledger::ptx {
namespace {

constexpr std::array kSpecials = {
#define SPECIAL(name, text, type, components) SpecialRegisterInfo{text, Type::k##type, components},
#include "warpledger/ptx/special_registers.def"
#undef SPECIAL
};

using SpecialsByName = std::unordered_map<std::string_view, SpecialRegister>;

const SpecialsByName& by_name() {
  static const SpecialsByName index = [] {
    SpecialsByName built;
    for (size_t i = 0; i < kSpecials.size(); ++i) {
      built.emplace(kSpecials[i].text, static_cast<SpecialRegister>(i));
    }
    return built;
  }();
  return index;
}

// %envreg0..31, %pm0..7, %pm0_64..%pm7_64.
std::optional<SpecialName> parse_numbered(std::string_view name) {
  const bool wide = name.size() > 3 && name.substr(name.size() - 3) == "_64";
  if (wide) name.remove_suffix(3);
  const size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  SpecialName result{SpecialRegister::kEnvreg};
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + digits, end, result.number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  const std::string_view stem = name.substr(0, digits);
  if (stem == "%envreg" && !wide && result.number < 32) return result;
  if (stem != "%pm" || result.number > 7) return std::nullopt;
  result.special = wide ? SpecialRegister::kPm64 : SpecialRegister::kPm;
  return result;
}

}  // namespace

const SpecialRegisterInfo& info(SpecialRegister special) {
  return kSpecials[static_cast<size_t>(special)];
}

std::optional<SpecialName> parse_special_register(std::string_view name) {
  if (name.size() < 2 || name[0] != '%') return std::nullopt;
  const auto found = by_name().find(name);
  if (found == by_name().end()) return parse_numbered(name);
  if (found->second >= SpecialRegister::kEnvreg) return std::nullopt;
  return SpecialName{found->second};
}

std::string to_text(SpecialName name) {
  switch (name.special) {
    case SpecialRegister::kEnvreg:
      return fmt::format("%envreg{}", name.number);
    case SpecialRegister::kPm:
      return fmt::format("%pm{}", name.number);
    case SpecialRegister::kPm64:
      return fmt::format("%pm{}_64", name.number);
    default:
      return std::string(info(name.special).text);
  }
}

bool is_of_the_cluster(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::kClusterid:
    case SpecialRegister::kNclusterid:
    case SpecialRegister::kIsExplicitCluster:
    case SpecialRegister::kClusterCtaid:
    case SpecialRegister::kClusterNctaid:
    case SpecialRegister::kClusterCtarank:
    case SpecialRegister::kClusterNctarank:
      return true;
    default:
      return false;
  }
}

}  // namespace warpledger::ptx
