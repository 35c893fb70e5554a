// The text of a translation while it is written: PTX whose registers have no types, one line or
// more for each machine instruction.
//
// R4 is %r4, UR4 is %u4, P0 is %p0, UP0 is %v0. A pair R4, R5 that is known to be in %d4 as well
// (UR4, UR5: %e4) is read there: addresses then stay sums of 64 bits, which compiled code knows
// more of than of two halves.
#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "warpledger/exec/decode/step.h"
#include "warpledger/exec/machine/loader.h"

namespace warpledger::exec::translate {

using machine::Instruction;
using machine::Operand;
using machine::OperandKind;
using M = machine::Modifier;

/// What a line is beside its text.
struct Line {
  uint32_t number = 0;  // of the machine instruction
  uint32_t site = machine::kNoSite;
  uint8_t loads = 0, waits = 0;  // Step::loads, Step::waits
  bool counted = false;          // one line of each instruction
  bool names_all_here = false, of_first_lane = false;
  bool is_call = false;  // call.h
  reference::Convergence convergence = {};
};

/// How lanes that have parted go on, and what is known of subroutines.
struct ControlFlow {
  /// As the interpreter has it, step by step (exec/jit/analysis/by_address.h); else where compiled
  /// PTX would join them, which check.h must find to be the same.
  bool by_address = false;
  std::map<uint32_t, std::vector<uint32_t>> places;  // of each RET and BRX: where it may go on
  std::map<uint32_t, bool> comes_back;               // of each CALL
};

/// Pairs of registers that a register of 64 bits holds too, by their first.
struct Fresh {
  std::array<bool, 257> registers = {}, uniform = {};
  friend bool operator==(const Fresh&, const Fresh&) = default;
  /// Only what is so in both.
  void meet(const Fresh& other);
};

class Writer {
 public:
  Writer(const machine::Loaded& loaded, const std::array<uint64_t, machine::kBanks>& bank_at,
         const ControlFlow& flow)
      : loaded_(loaded), bank_at_(bank_at), flow_(flow) {}

  // Instructions.
  /// `waits`: the scoreboards of loads among those that it waits for; `loads`: the one that it
  /// sets. `for_all`: its results are for all lanes that are here (speculate.h).
  void begin(uint32_t number, uint8_t waits, uint8_t loads, bool for_all);
  void end();
  /// Puts before everything what all of it reads: truth, and the constants, which then do not seem
  /// to change in loops.
  void finish(uint32_t entry);
  [[nodiscard]] const Instruction& now() const { return *now_; }
  [[nodiscard]] uint32_t number() const { return number_; }
  [[nodiscard]] bool has(M modifier) const { return now_->has(modifier); }
  [[nodiscard]] const Operand& operand(size_t i) const { return now_->operands[i]; }
  [[nodiscard]] size_t operands() const { return now_->operands.size(); }
  [[nodiscard]] bool is_guarded() const { return !guard_.empty(); }
  [[nodiscard]] const machine::Loaded& loaded() const { return loaded_; }
  [[nodiscard]] const ControlFlow& flow() const { return flow_; }

  // Lines. A step is executed whatever the guard, a result under it; the first result counts.
  template <class... A>
  void step(fmt::format_string<A...> format, A&&... values) {
    add("", fmt::format(format, std::forward<A>(values)...), {.number = number_});
  }
  template <class... A>
  void result(fmt::format_string<A...> format, A&&... values) {
    add_result(fmt::format(format, std::forward<A>(values)...), {});
  }
  /// A result with a site, or with what else `line` says.
  void result_as(const std::string& text, Line line) { add_result(text, line); }
  void step_as(const std::string& text, Line line) {
    line.number = number_;
    add("", text, line);
  }
  /// A table of labels, for this instruction's jump.
  void table(const std::string& labels) {
    text_ += fmt::format("T{}: .branchtargets {};\n", number_, labels);
  }
  /// Begins a block inside of the instruction.
  void label_within() { text_ += fmt::format("W{}:\n", number_); }
  void label(uint32_t number) { text_ += fmt::format("L{}:\n", number); }
  /// `text` under another condition than the guard; the instruction is counted by the guard.
  void branch(const std::string& condition, const std::string& text,
              reference::Convergence convergence = {});

  // Registers of their own.
  std::string word_temp() { return fmt::format("%t{}", words_++); }
  std::string wide_temp() { return fmt::format("%w{}", wides_++); }
  std::string predicate_temp() { return fmt::format("%q{}", predicates_++); }
  std::string half_temp() { return fmt::format("%h{}", halves_++); }

  // Operands read, as machine::Lane reads them.
  std::string word(const Operand& operand, int word = 0);
  std::string pair(const Operand& operand);     // as it stands
  std::string integer(const Operand& operand);  // with its signs
  std::string f32(const Operand& operand);
  std::string f64(const Operand& operand);
  std::string predicate(const Operand& operand);
  std::string guard();  // as a predicate; Pre: is_guarded()

  // Operands written: the name, which must be written by the next result.
  std::string to(const Operand& operand, int word = 0);
  std::string to_predicate(const Operand& operand);
  void set(const Operand& operand, const std::string& value, int word = 0);
  void set_predicate(const Operand& operand, const std::string& value);
  void set_pair(const Operand& operand, const std::string& wide);

  /// The upper and lower word of a register of 64 bits, in registers of their own.
  std::string low(const std::string& wide);
  std::string high(const std::string& wide);

  void refuse(const std::string& why);
  /// Takes back what was refused and written since begin(), for another attempt.
  void begin_again();
  [[nodiscard]] bool is_refused() const { return !refusal_.empty(); }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::vector<Line>& lines() { return lines_; }
  /// The declarations of all registers.
  [[nodiscard]] std::string declarations() const;

  Fresh fresh;
  /// Sums of 64 bits whose lower half has been written, by the number of the instruction that
  /// writes the upper one (wide.cpp).
  struct Upper {
    std::string wide;
    int lower = -1;  // register
    bool is_uniform = false;
  };
  std::map<uint32_t, Upper> uppers;

 private:
  void write_guard(uint32_t number, uint8_t waits, uint8_t loads);
  void add(const std::string& guard, const std::string& text, const Line& line);
  void add_result(const std::string& text, Line line);
  void wrote(OperandKind kind, int index);
  std::string constant(const Operand& operand, int word, int bytes);
  [[nodiscard]] std::string constant_declarations() const;

  const machine::Loaded& loaded_;
  const std::array<uint64_t, machine::kBanks>& bank_at_;
  const ControlFlow& flow_;
  const Instruction* now_ = nullptr;
  uint32_t number_ = 0;
  uint8_t loads_ = 0;
  bool counted_ = false;
  std::string guard_, text_, refusal_;
  std::vector<Line> lines_;
  struct Place {
    size_t text = 0, lines = 0;
    bool counted = false;
    Fresh fresh;
  };
  Place begun_;
  std::map<std::pair<uint64_t, int>, std::string> constants_;  // by place in the banks, and bytes
  uint32_t words_ = 0, wides_ = 0, predicates_ = 0, halves_ = 0;
};

}  // namespace warpledger::exec::translate
