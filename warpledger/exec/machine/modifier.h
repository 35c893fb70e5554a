// The words after an opcode's dots, as numbers.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpledger::exec::machine {

enum class Modifier : uint8_t {
#define WL_MODIFIER(name, text) name,
#include "warpledger/exec/machine/modifiers.def"
#undef WL_MODIFIER
  kCount
};

/// The modifier of that spelling, kMxNxK for a shape of wgmma; nothing when no opcode of the table
/// carries it.
[[nodiscard]] std::optional<Modifier> find_modifier(std::string_view text);

/// Of one instruction, as written.
class Modifiers {
 public:
  void add(Modifier modifier) {
    list_.push_back(modifier);
    set_.set(static_cast<size_t>(modifier));
  }
  [[nodiscard]] bool has(Modifier modifier) const { return set_[static_cast<size_t>(modifier)]; }
  [[nodiscard]] const std::vector<Modifier>& list() const { return list_; }

 private:
  std::vector<Modifier> list_;
  std::bitset<static_cast<size_t>(Modifier::kCount)> set_;
};

}  // namespace warpledger::exec::machine
