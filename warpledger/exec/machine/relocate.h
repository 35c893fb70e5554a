// Addresses that a cubin leaves open, filled in.
#pragma once

#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/machine/program.h"

namespace warpledger::exec::machine {

struct Relocated {
  std::map<uint16_t, std::string> sections;   // bytes of code, constants and variables, by number
  std::map<uint64_t, std::string> externals;  // functions that the cubin lacks, by address
};

/// The address of a global variable that the image holds.
[[nodiscard]] std::optional<uint64_t> variable_address(const Image& image, std::string_view name);

/// Variables lie where `image` has those of their names, functions where place_code() puts them.
/// A name that nothing defines, such as the driver's vprintf, has an address without code. Fails on
/// types of relocation that are not known.
[[nodiscard]] Result<Relocated> relocate(const Image& image, const sass::Cubin& cubin);

}  // namespace warpledger::exec::machine
