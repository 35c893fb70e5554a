#include "warpledger/sass/registers/liveness.h"

#include <bitset>

#include "warpledger/base/check.h"

namespace warpledger::sass {
namespace {

// R, P, UR and UP, one after another.
constexpr size_t kFirst[] = {0, 256, 264, 392};
constexpr size_t kBits = 400;
using Set = std::bitset<kBits>;

Set set_of(const std::vector<Register>& registers) {
  Set made;
  for (const Register& one : registers) {
    const size_t bit = kFirst[static_cast<size_t>(one.file)] + one.number;
    if (bit < kBits) made.set(bit);
  }
  return made;
}

uint32_t count(const Set& set, size_t first, size_t end) {
  uint32_t sum = 0;
  for (size_t i = first; i < end; ++i) sum += set[i] ? 1 : 0;
  return sum;
}

LiveRegisters counted(const Set& set) {
  return {count(set, kFirst[0], kFirst[1]), count(set, kFirst[1], kFirst[2])};
}

}  // namespace

std::vector<LiveRegisters> live_registers(const std::vector<Instruction>& code,
                                          const std::vector<RegisterUse>& uses,
                                          const CodeFlow& flow) {
  WL_CHECK(uses.size() == code.size() && flow.next.size() == code.size());
  const Register stack{RegisterFile::kGeneral, 1};
  std::vector<Set> reads, writes, before(code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    reads.push_back(set_of(uses[i].reads));
    writes.push_back(set_of(uses[i].writes));
    if (code[i].base() == "EXIT") reads.back() |= set_of({stack});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = code.size(); i-- > 0;) {
      Set alive;
      for (const uint32_t next : flow.next[i]) alive |= before[next];
      if (!uses[i].is_guarded) alive &= ~writes[i];
      alive |= reads[i];
      if (alive == before[i]) continue;
      before[i] = alive;
      changed = true;
    }
  }
  std::vector<LiveRegisters> live;
  for (size_t i = 0; i < code.size(); ++i) live.push_back(counted(before[i] | writes[i]));
  return live;
}

}  // namespace warpledger::sass
