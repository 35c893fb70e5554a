// How values pass calls that are inlined: as registers, where both sides name the same pieces of a
// parameter and nobody takes its address; else as bytes of the frame.
#pragma once

#include <optional>

#include "warpledger/exec/decode/program.h"

namespace warpledger::exec::reference {

/// Bytes of a parameter that are loaded and stored together.
struct Piece {
  uint64_t offset = 0;
  uint32_t bytes = 0;  // 2, 4 or 8
  uint32_t slot = 0;   // counted from the first behind the function's own registers
};

/// The function of the module with a body that the step calls by its name; nothing for other
/// steps.
[[nodiscard]] const Code* callee_of(const Program& program, const ptx::Module& module,
                                    const Step& step);

/// A load or store of a parameter in the frame: which one, and where in it.
struct ParamAccess {
  uint32_t variable = 0;
  uint64_t offset = 0;
  uint8_t address = 0;  // operand
};
[[nodiscard]] std::optional<ParamAccess> param_access(const Program& program, const Step& step);

class ParamPlan {
 public:
  ParamPlan(const Program& program, const ptx::Module& module);

  /// Null: the parameter stays in the frame.
  [[nodiscard]] const std::vector<Piece>* pieces_of(uint32_t variable) const;
  /// Pieces of a function's parameters, each a slot, in their order.
  [[nodiscard]] const std::vector<Piece>& slots_of(const Code& code) const {
    return slots_.at(code.index);
  }

 private:
  struct Link {
    uint32_t writer = 0, reader = 0;  // variables
  };
  void visit(const Code& code, const Step& step);
  void visit_call(const Code& code, const Code& callee, const Step& step);
  bool add_pieces(const Code& code, const Step& step, const ParamAccess& access);
  void keep_in_frame(const Code& code, const Value& value);
  void keep_overlaps_in_frame();
  [[nodiscard]] bool agree(const Link& link) const;
  void number_slots();

  const Program& program_;
  const ptx::Module& module_;
  std::map<uint32_t, std::vector<Piece>> pieces_;  // by variable
  std::map<uint32_t, uint32_t> function_of_;       // by variable: index in the module
  std::map<uint32_t, bool> in_frame_;
  std::vector<Link> links_;
  std::map<uint32_t, std::vector<Piece>> slots_;  // by function
};

}  // namespace warpledger::exec::reference
