// The machine code of a launch, instruction by instruction, for those who show or keep it. It
// follows from the PTX and the profile (profile/run/machine_code.h); a Profile does not hold it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/sm/block_span.h"
#include "warpledger/sm/states.h"

namespace warpledger::profile {

/// A result of another line that a line reads.
struct MachineInput {
  uint32_t writer = 0;     // its place in MachineCode::lines
  std::string which = {};  // "R12"
};
/// A line that a line waits for.
struct MachineWait {
  uint8_t scoreboard = 0;
  uint32_t taker = 0;  // its place in MachineCode::lines
};

struct MachineLine {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint64_t address = 0;                 // where a driver would have put it
  std::string guard = {};               // "@!P0"; "" without one
  std::string opcode = {};              // "LDG.E.128"
  std::string operands = {};            // "R4, [R2.64]"
  std::optional<uint64_t> target = {};  // where a branch leads: an address like its own
  uint64_t executions = 0;              // by warps
  uint32_t number = kNone;              // of its PTX instruction, in Profile::code
  uint32_t site = kNone;                // whose accesses it does, in Profile::instructions
  uint64_t site_executions = 0;         // of all machine instructions that do the site's accesses
  // Thread instructions: of the lanes that ran it, and of those for which its guard was true.
  // Modeled (machine_threads.h); absent where nothing tells.
  std::optional<uint64_t> threads = {}, threads_on = {};
  std::optional<uint32_t> live_registers = {}, live_predicates = {};  // sass/registers/liveness.h
  std::vector<MachineInput> inputs = {};
  std::vector<MachineWait> waits = {};
  std::optional<sm::InstructionStates> states = {};  // of the simulated SM; modeled
  /// "@!P0 LDG.E R8, [R18.64]".
  [[nodiscard]] std::string text() const {
    return guard + (guard.empty() ? "" : " ") + opcode + (operands.empty() ? "" : " ") + operands;
  }
};

struct MachineCode {
  std::string ptx = {};
  std::string cubin = {};                  // the whole module, its code at an address
  uint64_t address = 0;                    // of the kernel
  std::vector<std::string> files = {};     // of the source, as the cubin's table of lines has them
  std::vector<MachineLine> lines = {};     // of the kernel, by address
  std::vector<sm::BlockSpan> blocks = {};  // when they were on the simulated SM
  std::string no_registers = {};           // why live registers and inputs are absent
};

/// PTX texts by the kernels that were profiled; kernels of one name may be in several.
using KernelTexts = std::map<std::string, std::vector<std::shared_ptr<const std::string>>>;

}  // namespace warpledger::profile
