// LLVM. The checks that branches of a kernel's function make, and which accesses of device memory
// each of them covers: the part of emit_verify.h's rules that is about device memory.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

/// base + constant.
struct Place {
  const llvm::Value* base = nullptr;
  int64_t offset = 0;
};
[[nodiscard]] Place place_of(const llvm::Value* pointer, const llvm::DataLayout& layout);

/// Whether `bytes` from the offset on lie within so much room.
[[nodiscard]] bool is_inside(int64_t offset, uint64_t bytes, uint64_t room);

/// What an access of the device's memory is made of.
struct DeviceAddress {
  size_t space = 0;  // offset of its base in the context
  const llvm::Value* scalar = nullptr;
  const llvm::Value* offset = nullptr;  // null: none
  uint64_t fixed = 0;                   // where scalar is null: the address
};

class Checks {
 public:
  /// Of every branch of the function.
  Checks(llvm::Function& function, const Analysis& analysis);

  /// The context's field that a value was loaded from.
  [[nodiscard]] std::optional<int64_t> field_of(const llvm::Value* value) const;
  /// host + (scalar + offset), as emit_access.cpp's host_address() writes it.
  [[nodiscard]] std::optional<DeviceAddress> device_address(const llvm::Value* pointer) const;

  /// Whether a check of that address leads to every path to the instruction.
  [[nodiscard]] bool precede(const llvm::Instruction& instruction,
                             const DeviceAddress& address) const;
  /// The same, of a pattern that was looked up by these offsets of lanes.
  [[nodiscard]] bool precede(const llvm::Instruction& instruction, const DeviceAddress& address,
                             const llvm::Value* lanes) const;
  /// False for what no path leads to: it never runs, and "dominates" means nothing there.
  [[nodiscard]] bool is_reached(const llvm::BasicBlock& block) const {
    return dominators_.isReachableFromEntry(&block);
  }
  /// How many lead to the instruction.
  [[nodiscard]] size_t count_before(const llvm::Instruction& instruction) const;

 private:
  /// A check that a branch makes.
  struct Check {
    const llvm::BasicBlock* holds = nullptr;  // where it leads to
    const llvm::Value* scalar = nullptr;
    const llvm::Value* pattern = nullptr;
    uint32_t window = 0;
  };

  void find_check(const llvm::BasicBlock& block);
  std::optional<int64_t> window_field(const llvm::Value* value) const;
  std::optional<std::pair<int64_t, const llvm::Value*>> bound_check(
      const llvm::Value* condition) const;
  const llvm::Value* pattern_check(const llvm::Value* condition, int64_t window) const;
  bool covers(const Check& check, const DeviceAddress& address) const;
  bool is_lane_offset(const Check& check, const llvm::Value* offset) const;
  std::pair<int64_t, int64_t> span_of(uint32_t window) const;
  bool are_same(const llvm::Value* first, const llvm::Value* second) const;
  bool is_unchanged(const llvm::AllocaInst& variable, const llvm::Instruction& from,
                    const llvm::Instruction& to) const;

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const Analysis& analysis_;
  llvm::DominatorTree dominators_;
  std::map<uint32_t, uint32_t> step_of_;  // by window
  std::vector<Check> checks_;
};

}  // namespace warpledger::exec::jit
