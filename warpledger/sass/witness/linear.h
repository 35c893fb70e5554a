// Addresses of a PTX function as linear forms: sum of coefficient * symbol, plus a constant. Two
// addresses with the same terms differ by a known number of bytes; that is how one sees which
// scalar accesses a wide one covers.
//
// A symbol is a value that is not itself linear: a parameter, tid, the result of a load or of other
// arithmetic. Equal operations on equal operands are one symbol. A register that is written in
// several places is another symbol in every block, until the block writes it itself. Widths of
// integers are ignored: an address that wraps would fault anyway.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "warpledger/ptx/cfg.h"
#include "warpledger/ptx/module.h"

namespace warpledger::sass {

struct Linear {
  struct Term {
    uint32_t symbol = 0;
    int64_t coefficient = 0;
    friend auto operator<=>(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;  // by symbol, no coefficient is 0
  int64_t constant = 0;
  friend auto operator<=>(const Linear&, const Linear&) = default;
};

[[nodiscard]] Linear operator+(const Linear& a, const Linear& b);
[[nodiscard]] Linear operator*(const Linear& a, int64_t factor);

/// The address of each instruction's first address operand; nothing where there is none.
[[nodiscard]] std::vector<std::optional<Linear>> linear_addresses(const ptx::Module& module,
                                                                  const ptx::Function& function,
                                                                  const ptx::Cfg& cfg);

}  // namespace warpledger::sass
