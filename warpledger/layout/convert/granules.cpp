#include "warpledger/layout/convert/granules.h"

#include <bit>

namespace warpledger::convert {

std::optional<LinearMap> granule_gather(const LinearMap& gather, int element_bits,
                                        int granule_bits) {
  const int joined = std::countr_zero(static_cast<unsigned>(granule_bits / element_bits));
  const uint64_t low = (uint64_t{1} << joined) - 1;
  const int64_t inputs = gather.to().size_of("register"),
                outputs = gather.from().size_of("register");
  if (inputs <= static_cast<int64_t>(low) || outputs <= static_cast<int64_t>(low))
    return std::nullopt;
  std::vector<uint64_t> bases;
  for (size_t b = 0; b < gather.bases().size(); ++b) {
    const uint64_t base = gather.bases()[b];
    if (static_cast<int>(b) < joined) {
      if (base != uint64_t{1} << b) return std::nullopt;
      continue;
    }
    if (base & low) return std::nullopt;
    bases.push_back(base >> joined);
  }
  return LinearMap(Space({{"register", outputs >> joined}, {"lane", 32}}),
                   Space({{"register", inputs >> joined}, {"lane", 32}}), std::move(bases));
}

std::vector<Variable> unpack(Program& program, const std::vector<Variable>& registers,
                             int granule_bits) {
  if (granule_bits == 32) return registers;
  std::vector<Variable> granules;
  for (const Variable source : registers) {
    granules.push_back(source);  // the first is in the low bytes already
    for (int byte = granule_bits / 8; byte < 4; byte += granule_bits / 8) {
      int selector = 0;
      for (int b = 0; b < 4; ++b) selector |= (byte + b) % 4 << 4 * b;
      granules.push_back(program.fresh());
      program.operations.emplace_back(PickBytes{granules.back(), source, source, selector});
    }
  }
  return granules;
}

std::vector<Variable> pack(Program& program, std::vector<Variable> granules, int granule_bits) {
  for (int bits = granule_bits; bits < 32; bits *= 2) {
    const int selector = bits == 16 ? 0x5410 : 0x5040;
    std::vector<Variable> wider;
    for (size_t g = 0; g + 1 < granules.size(); g += 2) {
      wider.push_back(program.fresh());
      program.operations.emplace_back(
          PickBytes{wider.back(), granules[g], granules[g + 1], selector});
    }
    granules = wider;
  }
  return granules;
}

}  // namespace warpledger::convert
