// The attributes of .nv.info sections, numbered as `cuobjdump -elf` names them (EIATTR_...).
#pragma once

#include <functional>

#include "warpledger/sass/cubin/elf.h"

namespace warpledger::sass {

enum AttributeNumber : uint64_t {
  kParameterBank = 0x0a,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kMaxStackSize = 0x23,
  kRegisterCount = 0x2f,
  kIndirectBranchTargets = 0x34,
  kLargeParameter = 0x45,
};

/// Views point into the section.
struct Attribute {
  uint64_t number = 0;
  std::string_view bytes;  // all of it, to be copied
  std::string_view value;  // of one that has a length; empty for others
};

/// Every attribute in order; stops where a length leads out of the section.
void each_attribute(std::string_view section, const std::function<void(const Attribute&)>& take);

/// Whether an attribute of the module's section, .nv.info, is a pair (symbol of a function, value).
[[nodiscard]] bool is_of_function(const Attribute& attribute);

}  // namespace warpledger::sass
