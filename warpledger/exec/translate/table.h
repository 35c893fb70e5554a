// What each opcode of machine code is translated to: one function for each row of translations.def.
#pragma once

#include <string_view>

#include "warpledger/exec/translate/writer.h"

namespace warpledger::exec::translate {

/// Writes the lines of Writer::now(); refuses what it does not know. `end`: of the instruction's
/// block.
using Translate = void (*)(Writer& writer, uint32_t end);

/// Null where an opcode has no translation.
[[nodiscard]] Translate find_translation(std::string_view opcode);

#define WL_TRANSLATION(opcode, function) void function(Writer& writer, uint32_t end);
#include "warpledger/exec/translate/translations.def"
#undef WL_TRANSLATION

/// Operands from the sources on: predicates that come before them are results.
[[nodiscard]] size_t first_source(const Instruction& instruction);

/// RZ, URZ or the number 0, without a sign.
[[nodiscard]] bool is_zero(const Operand& operand);

/// p, q = the comparison and its opposite, combined with operand 4. `compare`: "lt", `type`: "s32".
void write_comparison(Writer& writer, std::string_view compare, std::string_view type,
                      const std::string& a, const std::string& b);

/// Operand 0 = the smaller of a and b where `smaller` holds, else the larger. `how`: ".s32".
void write_extreme(Writer& writer, const std::string& how, const std::string& a,
                   const std::string& b, const Operand& smaller);

}  // namespace warpledger::exec::translate
