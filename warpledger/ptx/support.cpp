#include "warpledger/ptx/support.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <vector>

#include "warpledger/ptx/opcode.h"

namespace warpledger::ptx {
namespace {

constexpr std::string_view kIntroduction =
    R"(# PTX: what is read, and what runs

This page is made from the opcode table (`warpledger/ptx/opcodes/*.def`) by
`warpledger ptx --support > docs/ptx-support.md`; a test keeps the two equal. Every form below is parsed, checked
and printed back. Its tier says what runs:

- **i**: what the CUDA samples need;
- **ii**: asynchronous copies and tensor cores up to sm_80's;
- **iii**: TMA, wgmma, clusters, tcgen05;
- **parsed**: read and printed, refused by name when it would run.

A form: `.word` is required, `{.word}` may be left out, `.(a|b)` is one of several, `.<set>` one of a set of
`warpledger/ptx/sets.def`. Modifiers that are no types may come in any order, as in ptxas.
The columns PTX and sm are the first version and architecture; `a` after an sm asks for the architecture-specific
target (`sm_90a`), or the `a` or `f` variant of a later one.

What the checker leaves to ptxas: which combinations of optional modifiers exclude each other beyond what the forms
say (`ld.const.L1::evict_last`), the number of registers of a matrix fragment, and values of constants.
)";

std::string architecture(uint16_t sm) {
  if (sm == 0) return "";
  return sm >= kArchSpecific ? fmt::format("{}a", sm - kArchSpecific) : fmt::format("{}", sm);
}

// A bar would end the cell of a Markdown table.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string counts() {
  std::map<Tier, int> tiers;
  for (const FormRow& row : form_rows()) ++tiers[row.tier];
  return fmt::format(
      "\n{} opcodes in {} forms: {} of tier i, {} of tier ii, {} of tier iii, {} parsed only.\n",
      opcodes().size(), form_rows().size(), tiers[Tier::kSamples], tiers[Tier::kAmpere],
      tiers[Tier::kHopper], tiers[Tier::kParsed]);
}

std::string family_section(Family family) {
  std::string text = fmt::format(
      "\n## {}\n\n| opcode | form | tier | PTX | sm | memory |\n|---|---|---|---|---|---|\n",
      to_text(family));
  for (const FormRow& row : form_rows()) {
    const OpcodeInfo& opcode = info(row.op);
    if (opcode.family != family) continue;
    text += fmt::format("| {} | `{}` | {} | {}.{} | {} | {} |\n", opcode.name, escaped(row.pattern),
                        to_text(row.tier), row.ptx / 10, row.ptx % 10, architecture(row.sm),
                        to_text(opcode.memory));
  }
  return text;
}

}  // namespace

std::string support_document() {
  std::string text = std::string(kIntroduction) + counts();
  for (int f = 0; f <= static_cast<int>(Family::kMisc); ++f)
    text += family_section(static_cast<Family>(f));
  return text;
}

}  // namespace warpledger::ptx
