// Names in scope while parsing. A name is hashed once to a number; what it stands for now is an
// array element; leaving a block undoes what the block declared.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpledger::ptx {

enum class Meaning : uint8_t {
  kNothing,
  kRegister,       // index: RegisterRange of the function
  kRegisterRange,  // index: RegisterRange; the name is the prefix
  kVariable,
  kFunction,
  kLabel,
  kTargets,
  kPrototype,
};

struct Binding {
  Meaning meaning = Meaning::kNothing;
  uint32_t index = 0;
  uint32_t depth = 0;  // of the block that declared it; 0: the module
};

class Names {
 public:
  Names();

  /// The number of a name, given on first sight.
  uint32_t number(std::string_view name);
  /// What the name stands for here.
  [[nodiscard]] const Binding& operator[](uint32_t number) const { return bindings_[number]; }
  /// The binding of a name; kNothing for one never seen.
  [[nodiscard]] Binding find(std::string_view name) const;

  /// Declares a name in the innermost block. False when that block has it already.
  bool declare(uint32_t number, Meaning meaning, uint32_t index);
  /// The same, replacing what the block has (a definition after its declaration).
  void redeclare(uint32_t number, Meaning meaning, uint32_t index);

  void open_block() { blocks_.push_back(undo_.size()); }
  void close_block();
  [[nodiscard]] uint32_t depth() const { return static_cast<uint32_t>(blocks_.size()); }

  /// Every name that has a meaning now: for "did you mean".
  [[nodiscard]] std::vector<std::string_view> in_scope() const;

 private:
  struct Undo {
    uint32_t number;
    Binding before;
  };

  [[nodiscard]] size_t slot(std::string_view name, uint64_t hash) const;
  void grow();

  std::vector<uint32_t> table_;  // 1 + number, 0 when free; a power of two
  std::vector<std::string_view> texts_;
  std::vector<uint64_t> hashes_;
  std::vector<Binding> bindings_;
  std::vector<Undo> undo_;
  std::vector<size_t> blocks_;
};

}  // namespace warpledger::ptx
