#include "warpledger/sass/cubin/attributes.h"

namespace warpledger::sass {

void each_attribute(std::string_view section, const std::function<void(const Attribute&)>& take) {
  constexpr uint64_t kSizedValue = 4, kHead = 4;  // EIFMT_SVAL: a length, then as many bytes
  for (uint64_t at = 0; at + kHead <= section.size();) {
    const uint64_t format = read_number(section, at, 1);
    const uint64_t size = format == kSizedValue ? read_number(section, at + 2, 2) : 0;
    if (size > section.size() - at - kHead) return;
    take({.number = read_number(section, at + 1, 1),
          .bytes = section.substr(at, kHead + size),
          .value = section.substr(at + kHead, size)});
    at += kHead + size;
  }
}

bool is_of_function(const Attribute& attribute) {
  constexpr size_t kPair = 8;
  const uint64_t number = attribute.number;
  return attribute.value.size() >= kPair && (number == kFrameSize || number == kMinStackSize ||
                                             number == kMaxStackSize || number == kRegisterCount);
}

}  // namespace warpledger::sass
