// A ledger as JSON, for scripts and for `warpledger compare`. An amount is a JSON integer where it
// fits 64 bits, else its text: "8*N*d*(1 + N/Br)". Totals are written for readers, and checked
// against the rows when read back. Nothing is guessed: a missing or unknown field is an error.
#pragma once

#include <string>

#include "warpledger/base/result.h"
#include "warpledger/ledger/ledger.h"

namespace warpledger {

/// Raised when a field changes its name or meaning.
inline constexpr int kLedgerSchemaVersion = 1;

/// Indented by two, ends with a newline. Text that is not UTF-8 is replaced by U+FFFD.
[[nodiscard]] std::string to_json(const Ledger& ledger);

/// Post: *ledger_from_json(Source(_, to_json(x))) == x, for x in UTF-8.
/// A Diagnostic names the place in the text where it is no JSON, else the path: `rows[3].from`.
[[nodiscard]] Result<Ledger> ledger_from_json(const Source& source);

}  // namespace warpledger
