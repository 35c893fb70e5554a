#include "warpledger/ptx/support.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <vector>

#include "warpledger/ptx/opcode.h"

namespace warpledger::ptx {
namespace {

constexpr std::string_view kIntroduction =
    R"(# PTX support

For people who want to know whether an instruction is supported. `warpledger ptx --support > docs/ptx-support.md` generates
this page from the opcode table (`warpledger/ptx/opcodes/*.def`), and a test checks that it is current. Every form
below is parsed, checked and printed back. Its tier says what runs:

- **i**: what the CUDA samples need;
- **ii**: asynchronous copies and tensor cores up to sm_80's;
- **iii**: TMA, wgmma, clusters, tcgen05;
- **parsed**: parsed and printed; running it stops with an error that names it.

In a form, `.word` is required, `{.word}` is optional, `.(a|b)` is one of several, and `.<set>` is one of a set in
`warpledger/ptx/sets.def`. Modifiers other than types may come in any order, as in ptxas. The columns PTX and sm give the
first version and architecture; `a` after an sm means the architecture-specific target (`sm_90a`), or the `a` or `f`
variant of a later one.

The checker leaves three things to ptxas: which optional modifiers exclude each other beyond what the forms say
(`ld.const.L1::evict_last`), the number of registers of a matrix fragment, and values of constants.
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
