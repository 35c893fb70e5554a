// The special registers of PTX; the list is special_registers.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "warpledger/ptx/type.h"

namespace warpledger::ptx {

enum class SpecialRegister : uint8_t {
#define SPECIAL(name, text, type, components) k##name,
#include "warpledger/ptx/special_registers.def"
#undef SPECIAL
};

struct SpecialRegisterInfo {
  std::string_view text;
  Type type;
  int components;
};
[[nodiscard]] const SpecialRegisterInfo& info(SpecialRegister special);

/// Which cluster a thread block is in, and where in it: the same for all threads of the block.
[[nodiscard]] bool is_of_the_cluster(SpecialRegister special);

/// `number` is that of %envreg3, %pm0 and %pm0_64, else 0.
struct SpecialName {
  SpecialRegister special;
  uint32_t number = 0;
};
[[nodiscard]] std::optional<SpecialName> parse_special_register(std::string_view name);
[[nodiscard]] std::string to_text(SpecialName name);

}  // namespace warpledger::ptx
