#include "warpledger/exec/run/machine_code.h"

#include "warpledger/exec/machine/bank_layout.h"

namespace warpledger::exec {

bool runs_machine_code(int architecture) {
  return machine::find_bank_layout(architecture) != nullptr;
}

std::string machine_code_architectures() { return machine::known_architectures(); }

}  // namespace warpledger::exec
