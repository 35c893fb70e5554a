// Granules: the parts of a 32-bit register that travel alone. 8- and 16-bit elements that stay
// together in order travel as one granule; a granule of less than 32 bits lies in the low bytes of
// a variable of its own while it travels.
#pragma once

#include <optional>
#include <vector>

#include "warpledger/layout/convert/program.h"

namespace warpledger::convert {

/// The gather map on granules of `granule_bits`; nothing when elements of one do not stay together.
[[nodiscard]] std::optional<LinearMap> granule_gather(const LinearMap& gather, int element_bits,
                                                      int granule_bits);

/// Registers into granules, and back: no operation for granules of 32 bits.
[[nodiscard]] std::vector<Variable> unpack(Program& program, const std::vector<Variable>& registers,
                                           int granule_bits);
[[nodiscard]] std::vector<Variable> pack(Program& program, std::vector<Variable> granules,
                                         int granule_bits);

}  // namespace warpledger::convert
