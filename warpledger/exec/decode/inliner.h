// Makes one Code of a kernel and the functions that it calls (inline.h).
#pragma once

#include <string_view>

#include "warpledger/exec/decode/inline.h"
#include "warpledger/exec/decode/inline_params.h"

namespace warpledger::exec::reference {

class Inliner {
 public:
  Inliner(Program& program, const ptx::Module& module);
  /// Post: on success `program` has one Code, and what it had as its originals.
  [[nodiscard]] Status run();

 private:
  /// One copy of a function while it is placed.
  struct Body {
    const Code& code;
    uint32_t instance = 0;
    uint32_t slots = 0;  // its first register, and the first of its parameters' pieces
    uint32_t pieces = 0;
    uint64_t frame = 0;
    uint32_t values = 0;           // where its values begin
    std::vector<uint32_t> pc_of;   // by instruction, and the end
    std::vector<uint32_t> blocks;  // by block of its own: the first of what it became
    std::vector<std::pair<uint32_t, uint32_t>> ends;  // block of its own, and its last one here
    std::vector<uint32_t> returns;                    // blocks here
  };

  // Registers, values, blocks, steps (inliner.cpp).
  uint32_t take_slots(const std::vector<uint16_t>& bits);
  void take_registers(Body& body);
  void take_values(Body& body);
  uint32_t open_block(uint32_t instance);
  [[nodiscard]] uint32_t latest() const { return flow_.cfg.exit() - 1; }
  void add(const Step& step, uint32_t first_value, size_t values);
  /// An instruction that is not in the text. `like`: what it stands at.
  void add_extra(const Step& like, std::string_view text, const std::vector<Value>& operands);
  const Variant& variant_of(std::string_view text);
  Status place(Body& body);
  Status place_block(Body& body, const ptx::Cfg& cfg, uint32_t b);
  Status place_step(Body& body, uint32_t pc);
  void place_moves(const Body& body, const Step& step, const ParamAccess& access,
                   const std::vector<Piece>& pieces);
  void end_body(Body& body);
  void connect(Body& body, const ptx::Cfg& cfg);
  void connect_block(Body& body, const ptx::Block& own, uint32_t block);
  void finish();

  // Calls (inliner_calls.cpp).
  [[nodiscard]] bool is_straight(const Code& code, std::vector<const Code*> callers) const;
  Status place_call(Body& body, const Code& code, const Step& step);
  Status place_straight(Body& body, const Code& code, const Step& step);
  void place_nothing(const Step& step);
  void join(const Body& callee, uint32_t call_block, uint32_t back);
  Status pass_arguments(const Step& step, const Body& caller, const Body& callee);
  Status pass_results(const Step& step, const Body& caller, const Body& callee);
  Status pass(const Step& step, const Body& caller, const Body& callee, const Value& list,
              const std::vector<uint32_t>& formals, bool in);
  void copy_bytes(const Step& step, uint64_t from, uint64_t to, uint64_t bytes);

  Program& program_;
  const ptx::Module& module_;
  const ParamPlan plan_;
  std::unique_ptr<Code> flat_;
  Inlined flow_;
  std::vector<std::pair<uint32_t, size_t>> ranges_;  // by step: its operands
  std::map<std::string_view, const Variant*> variants_;
  std::vector<const Code*> callers_;
  uint32_t copies_ = 0;  // a register for bytes on their way
};

/// The end of an instance whose return block is to come.
inline constexpr uint32_t kTheEnd = UINT32_MAX - 1;

[[nodiscard]] std::string_view mov_of(uint32_t bits);
[[nodiscard]] Value in_register(uint32_t slot, uint32_t bits);
[[nodiscard]] Value label_at(uint32_t pc);
/// The slot of the piece that begins there.
[[nodiscard]] uint32_t slot_at(const std::vector<Piece>& pieces, uint64_t offset);
[[nodiscard]] Diagnostic refused(const ptx::Module& module, const Step& step, const char* what);

}  // namespace warpledger::exec::reference
