#include "warpledger/base/table.h"

#include "warpledger/base/number.h"

namespace warpledger {

Cell::Cell(int64_t n, Fidelity f) : text(group_thousands(n)), raw(n), fidelity(f) {}

Cell::Cell(std::string shown, RawValue value, Fidelity f)
    : text(std::move(shown)), raw(std::move(value)), fidelity(f) {}

}  // namespace warpledger
