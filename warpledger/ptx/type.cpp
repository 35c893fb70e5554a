#include "warpledger/ptx/type.h"

#include <iterator>
#include <unordered_map>

namespace warpledger::ptx {
namespace {

struct TypeInfo {
  std::string_view text;
  int bits;
  TypeKind kind;
};

constexpr TypeInfo kTypes[] = {
    TypeInfo{"", 0, TypeKind::kNone},
#define TYPE(name, text, size, type_kind) TypeInfo{text, size, TypeKind::type_kind},
#include "warpledger/ptx/types.def"
#undef TYPE
};

const TypeInfo& info(Type type) { return kTypes[static_cast<size_t>(type)]; }

bool is_integer(TypeKind k) { return k == TypeKind::kUnsigned || k == TypeKind::kSigned; }

bool kinds_agree(TypeKind declared, TypeKind named) {
  if (declared == named) return true;
  if (declared == TypeKind::kPredicate || named == TypeKind::kPredicate) return false;
  if (declared == TypeKind::kBits || named == TypeKind::kBits) return true;
  if (named == TypeKind::kPacked) return true;
  return is_integer(declared) && is_integer(named);
}

}  // namespace

std::string_view to_text(Type type) { return info(type).text; }
int bits(Type type) { return info(type).bits; }
TypeKind kind(Type type) { return info(type).kind; }

std::optional<Type> parse_type(std::string_view word) {
  static const std::unordered_map<std::string_view, Type> types = [] {
    std::unordered_map<std::string_view, Type> built;
    for (size_t i = 1; i < std::size(kTypes); ++i)
      built.emplace(kTypes[i].text, static_cast<Type>(i));
    return built;
  }();
  const auto found = types.find(word);
  if (found == types.end()) return std::nullopt;
  return found->second;
}

Type widened(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

bool may_hold(Type declared, Type named) {
  // ptxas reads sub-byte and fp4 values from the next wider register that exists.
  const int need = bits(named) <= 8 && named != Type::kPred ? 8 : bits(named);
  const bool fits = bits(declared) == need || (need == 8 && bits(declared) == 16);
  if (!kinds_agree(kind(declared), kind(named))) {
    // f16x2 and f32x2 are held by integer registers of their size as well.
    return fits && (named == Type::kF16x2 || named == Type::kF32x2 || named == Type::kF16) &&
           is_integer(kind(declared));
  }
  return fits;
}

bool may_hold_or_widen(Type declared, Type named) {
  if (kind(declared) == TypeKind::kPredicate) return named == Type::kPred;
  if (kind(declared) == TypeKind::kFloat && kind(named) == TypeKind::kFloat) {
    return bits(declared) == bits(named);
  }
  if (bits(declared) < bits(named)) return false;
  if (is_integer(kind(named)) || kind(named) == TypeKind::kBits) {
    return kind(declared) != TypeKind::kFloat || kind(named) == TypeKind::kBits;
  }
  return kinds_agree(kind(declared), kind(named));
}

}  // namespace warpledger::ptx
