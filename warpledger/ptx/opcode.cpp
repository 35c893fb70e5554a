#include "warpledger/ptx/opcode.h"

#include <array>
#include <vector>

namespace warpledger::ptx {
namespace {

constexpr OpcodeInfo kOpcodes[] = {
#define OPCODE(op, name, family, memory) OpcodeInfo{name, Family::family, MemoryKind::memory},
#define FORM(tier, ptx, sm, pattern, operands)
#include "warpledger/ptx/opcodes.def"
#undef OPCODE
#undef FORM
};

// A FORM row belongs to the OPCODE row above it, which only an ordered list can say: opcodes and
// forms alternate here, an opcode as a row without a pattern.
constexpr uint16_t A(int sm) { return static_cast<uint16_t>(kArchSpecific + sm); }
constexpr FormRow kRows[] = {
#define OPCODE(op, name, family, memory) FormRow{Op::k##op, Tier::kParsed, 0, 0, "", ""},
#define FORM(tier, ptx, sm, pattern, operands) \
  FormRow{Op{}, static_cast<Tier>(tier), ptx, sm, pattern, operands},
#include "warpledger/ptx/opcodes.def"
#undef OPCODE
#undef FORM
};

std::vector<FormRow> own_forms() {
  std::vector<FormRow> forms;
  Op op{};
  for (FormRow row : kRows) {
    if (row.pattern.empty()) {
      op = row.op;
      continue;
    }
    row.op = op;
    forms.push_back(row);
  }
  return forms;
}

}  // namespace

const OpcodeInfo& info(Op op) { return kOpcodes[static_cast<size_t>(op)]; }
std::span<const OpcodeInfo> opcodes() { return kOpcodes; }

std::span<const FormRow> form_rows() {
  static const std::vector<FormRow> forms = own_forms();
  return forms;
}

std::string_view to_text(Family family) {
  constexpr std::array kNames = {"arithmetic", "logic",   "conversion", "memory",      "atomic",
                                 "barrier",    "warp",    "control",    "tensor core", "async copy",
                                 "tcgen05",    "texture", "video",      "misc"};
  return kNames[static_cast<size_t>(family)];
}

std::string_view to_text(MemoryKind memory) {
  constexpr std::array kNames = {"",          "load",    "store",          "atomic",
                                 "reduction", "async",   "barrier object", "hint",
                                 "fence",     "texture", "tensor memory"};
  return kNames[static_cast<size_t>(memory)];
}

std::string_view to_text(Tier tier) {
  constexpr std::array kNames = {"parsed", "i", "ii", "iii"};
  return kNames[static_cast<size_t>(tier)];
}

}  // namespace warpledger::ptx
