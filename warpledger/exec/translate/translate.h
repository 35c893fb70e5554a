// exec/translate/: machine code for the compiled engine. A kernel's instructions become PTX whose
// registers have no types, line by line; decoded, its steps are given the numbers, sites and marks
// of the machine instructions, and exec/jit/ compiles them as it compiles any PTX.
//
//   translate.h         a kernel as a text          translations.def  which opcodes
//   writer.h            lines and operands          wide.h            addresses of 64 bits
//   split.h             registers by lifetime       check.h           where lanes meet
//   subroutines.h       calls and their returns
//   speculate.h         guards that need not hold
//   call.h              what the interpreter does   engine.h          a launch
//
// The room knows both sides. It must not know what a launch is profiled for. Memory, records and
// counts must equal those of exec/machine/, which is the oracle in tests. A kernel is translated
// as a whole or not at all.
//
// This file: a kernel as a text.
#pragma once

#include "warpledger/base/result.h"
#include "warpledger/exec/translate/writer.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec::translate {

/// Where the constant banks stand in the one parameter of the translated kernel.
struct BankPlaces {
  std::array<uint64_t, machine::kBanks> at = {};
  uint64_t bytes = 0;
};

struct Translation {
  std::string text;         // a PTX module with the kernel "machine"
  std::vector<Line> lines;  // of its instructions
  BankPlaces places;
  int indexed_bank = -1;    // that LDC reads: the module's constants; -1: none
  bool by_address = false;  // ControlFlow::by_address
};

inline constexpr const char* kKernelName = "machine";

[[nodiscard]] BankPlaces place_banks(const machine::Loaded& loaded);

/// The banks as the parameter's bytes.
[[nodiscard]] std::vector<std::byte> bank_bytes(const machine::Loaded& loaded,
                                                const BankPlaces& places);

/// Fails, with what has no translation, with Fallback::kInterpreter. `sites`: of the program
/// (machine/sites.h). `by_address`: lanes that have parted go on as the interpreter has them.
[[nodiscard]] Result<Translation> translate(const machine::Loaded& loaded,
                                            const trace::Sites& sites, bool by_address);

}  // namespace warpledger::exec::translate
