// Operands of machine code as nvdisasm writes them, as far as the lane machine reads them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace warpledger::derive {

/// "c[0x0][0x160]" -> 0x160; -1 if it is not such an operand.
[[nodiscard]] int bank_offset(const std::string& operand);

/// The number of "R12" or "UR4"; 255 for RZ and URZ.
[[nodiscard]] int register_number(const std::string& operand);

[[nodiscard]] bool is_register(const std::string& operand);
[[nodiscard]] bool is_uniform(const std::string& operand);
[[nodiscard]] bool is_predicate(const std::string& operand);

/// The bits of a half as nvdisasm writes it in decimal: HFMA2 builds constants that way.
[[nodiscard]] uint32_t half_bits(const std::string& text);

/// "desc[UR4][R2.64+0x10]" or "[R2+-0x8]" -> the register and the offset.
[[nodiscard]] std::pair<std::string, int64_t> address_parts(const std::string& operand);

}  // namespace warpledger::derive
