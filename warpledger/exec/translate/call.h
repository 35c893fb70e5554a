// Instructions that are not written as PTX but executed by the interpreter's function, lane by
// lane: of one word from up to three words and a predicate. Their line is a lop3 with two results,
// which compiled code leaves to Step::run.
#pragma once

#include "warpledger/exec/decode/program.h"
#include "warpledger/exec/translate/writer.h"

namespace warpledger::exec::translate {

/// Writes such a line; refuses what has another form.
void write_call(Writer& writer);

/// The instruction on registers of its own: sources in R0, R1, R2 and P0, the result in R3.
struct Call : Variant {
  Call(const Variant& line, const machine::Loaded& in, uint32_t number);
  const machine::Loaded* loaded = nullptr;
  Instruction instruction;
};

/// Step::run of these steps, whose variant is a Call.
reference::Outcome run_call(reference::Context& context, const reference::Step& step);

}  // namespace warpledger::exec::translate
