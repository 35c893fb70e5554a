#include "warpledger/sass/operation.h"

#include "warpledger/sass/unit.h"

namespace warpledger::sass {

Operation operation_of(const Instruction& instruction) {
  const std::string base = instruction.base();
  const Unit unit = unit_of(instruction);
  if (unit == Unit::kFp64) return Operation::kFp64;
  if (is_any(base, {"FADD", "FMUL", "FFMA", "FADD2", "FMUL2", "FFMA2", "FMNMX", "FMNMX3", "FSEL",
                    "FSET", "FSETP", "FCHK", "FSWZADD", "MUFU"}))
    return Operation::kFp32;
  if (is_any(base, {"HADD2", "HMUL2", "HFMA2", "HMNMX2", "HSET2", "HSETP2"}))
    return Operation::kFp16;
  const bool is_access = unit == Unit::kLsu && !passes_lsu_without_memory(instruction);
  return is_access || base == "LDC" ? Operation::kMemory : Operation::kOther;
}

}  // namespace warpledger::sass
