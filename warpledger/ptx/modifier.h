// The modifiers of an instruction: the words between dots that are not types. The words are in
// modifiers.def; which of them an opcode takes, and in which slot, is in opcodes/*.def and
// sets.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace warpledger::ptx {

enum class Modifier : uint16_t {
  kNone,
#define MODIFIER(name, text, ptx, sm) k##name,
#include "warpledger/ptx/modifiers.def"
#undef MODIFIER
};

/// What a modifier says. kFlag is a word on its own (.ftz, .sat): ask Spelling::has for it.
enum class Slot : uint8_t {
  kFlag,
  kType,
  kRounding,
  kCompare,
  kBool,
  kHalf,  // .hi .lo .wide of mul and mad
  kClamp,
  kDirection,
  kOperation,  // of atom, red, redux, vote, shfl, prmt, ...
  kScope,
  kOrder,  // .weak .volatile .relaxed ...; absent means weak
  kSpace,  // absent means generic
  kCache,
  kEvict,
  kEvict2,
  kPrefetch,
  kVector,
  kLayout,
  kCount,
  kGeometry,
  kComponent,
  kQuery,
  kLoadMode,
  kCompletion,
  kCtaGroup,
  kKind,
  kScaleVector,
  kCollector,
  kShape,
  kMulticast,
  kProxy,
  kField,
};

[[nodiscard]] std::string_view to_text(Modifier modifier);

/// `word` as written, without its dot. Any m64nNk16 gives kM64nNk16.
[[nodiscard]] std::optional<Modifier> parse_modifier(std::string_view word);

/// The first PTX version (times ten) and sm that know the word; 0 where the opcode's row decides.
struct Since {
  uint16_t ptx = 0;
  uint16_t sm = 0;
};
[[nodiscard]] Since since(Modifier modifier);

/// A row of sets.def.
struct ModifierSet {
  Slot slot;
  std::string_view name;
  std::string_view words;  // separated by blanks
};
[[nodiscard]] std::span<const ModifierSet> modifier_sets();

}  // namespace warpledger::ptx
