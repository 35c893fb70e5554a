#include "warpledger/exec/machine/spellings.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace warpledger::exec::machine {
namespace {

/// The first architecture of the family: Turing, Ampere with Ada, Hopper, Blackwell.
int family_of(int architecture) {
  if (architecture >= 100) return 100;
  if (architecture >= 90) return 90;
  return architecture >= 80 ? 80 : 75;
}

/// Whether "80 86 89" has one of the family.
bool has_family(std::string_view architectures, int family) {
  while (!architectures.empty()) {
    const size_t blank = std::min(architectures.find(' '), architectures.size());
    int one = 0;
    std::from_chars(architectures.data(), architectures.data() + blank, one);
    if (family_of(one) == family) return true;
    architectures.remove_prefix(std::min(blank + 1, architectures.size()));
  }
  return false;
}

const std::unordered_map<std::string_view, std::string_view>& spellings() {
  static const std::unordered_map<std::string_view, std::string_view> all = {
#define WL_SPELLING(spelling, architectures) {spelling, architectures},
#include "warpledger/exec/machine/spellings.def"
#undef WL_SPELLING
  };
  return all;
}

}  // namespace

bool is_verified(std::string_view spelling, int architecture) {
  const auto found = spellings().find(spelling);
  return found != spellings().end() && has_family(found->second, family_of(architecture));
}

void refuse_unverified(Program& program, int architecture) {
  for (Instruction& instruction : program.instructions) {
    const std::string_view text = instruction.text;
    if (!is_verified(text.substr(0, text.find(' ')), architecture)) instruction.row = nullptr;
  }
}

}  // namespace warpledger::exec::machine
