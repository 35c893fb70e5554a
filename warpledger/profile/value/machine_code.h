// The machine code of a launch, instruction by instruction, for those who show or keep it. It
// follows from the PTX and the profile (profile/run/machine_code.h); a Profile does not hold it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpledger::profile {

struct MachineLine {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint64_t address = 0;          // where a driver would have put it
  uint64_t executions = 0;       // by warps
  uint32_t number = kNone;       // of its PTX instruction, in Profile::code
  uint32_t site = kNone;         // whose accesses it does, in Profile::instructions
  uint64_t site_executions = 0;  // of all machine instructions that do the site's accesses
};

struct MachineCode {
  std::string ptx = {};
  std::string cubin = {};               // the whole module, its code at an address
  uint64_t address = 0;                 // of the kernel
  std::vector<MachineLine> lines = {};  // of the kernel, by address
};

}  // namespace warpledger::profile
