// What a launch of machine code writes into the trace: accesses, barriers, and where warps wait for
// what they loaded.
#pragma once

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/machine/state.h"
#include "warpledger/exec/semantics/warpgroup_product.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec::machine {

class Recorder {
 public:
  /// The program's instructions get their sites. `records`: false: only counts are kept.
  Recorder(Program& program, bool records);

  /// Before an instruction runs with `active` lanes, which may be none: its access, by the
  /// addresses that the registers hold now, and a use mark where it waits for a load.
  void note(Context& context, const Instruction& instruction, Lanes active);
  /// A run of bytes that the copy engine moves, at site `further` of the instruction.
  void note_run(Context& context, const Instruction& instruction, uint32_t further,
                uint64_t address, uint64_t bytes);
  /// What a product reads of an operand in shared memory, by 32 chunks of 16 bytes.
  void note_operand(Context& context, const Instruction& instruction, uint32_t further,
                    const SharedSource& source);
  /// Cells of tensor memory: `columns` of them from `at` on.
  void note_cells(Context& context, const Instruction& instruction, uint32_t further,
                  TensorAddress at, uint32_t columns, uint64_t bytes);
  void note_barrier(Context& context, uint32_t id, uint32_t threads, Lanes lanes, bool waits);

  [[nodiscard]] const trace::Sites& sites() const { return sites_; }
  [[nodiscard]] const trace::ShapeTable& shapes() const { return shapes_; }
  [[nodiscard]] const Statistics& counted() const { return counted_; }
  void forget_counts() { counted_ = {}; }

 private:
  struct Accessed {
    Lanes lanes = 0;
    PerLane<uint64_t> address = {};
  };
  void note_wait(Context& context, const Instruction& instruction);
  void note_copy(Context& context, const Instruction& instruction, Lanes active);
  void note_generic(Context& context, const Instruction& instruction, const Accessed& accessed);
  void write(Context& context, uint32_t site, Accessed accessed);

  bool records_;
  trace::Sites sites_;
  trace::ShapeTable shapes_;
  Statistics counted_;
};

}  // namespace warpledger::exec::machine
