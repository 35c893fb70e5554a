// The types of PTX: a size and a kind. The list is types.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpledger::ptx {

enum class Type : uint8_t {
  kNone,
#define TYPE(name, text, bits, kind) k##name,
#include "warpledger/ptx/types.def"
#undef TYPE
};

enum class TypeKind : uint8_t {
  kNone,
  kPredicate,
  kBits,
  kUnsigned,
  kSigned,
  kFloat,
  kPacked,  // bf16, tf32, fp8 and their packs: registers hold them as plain bits
  kOpaque,  // texture, sampler and surface references
};

[[nodiscard]] std::string_view to_text(Type type);
[[nodiscard]] std::optional<Type> parse_type(std::string_view word);
[[nodiscard]] int bits(Type type);
[[nodiscard]] TypeKind kind(Type type);

/// The type of the same kind and twice the size (mul.wide.s16 writes s32); kNone without one.
[[nodiscard]] Type widened(Type type);

/// A register of type `declared` may stand where an instruction names `named`: same size, and not
/// an integer for a float or the reverse; bits go with everything of their size.
[[nodiscard]] bool may_hold(Type declared, Type named);

/// The same for what loads, stores and conversions allow: the register may be wider.
[[nodiscard]] bool may_hold_or_widen(Type declared, Type named);

}  // namespace warpledger::ptx
