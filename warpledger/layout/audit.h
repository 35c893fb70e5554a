// Audit: a layout in any notation against the catalog.
#pragma once

#include <string>

#include "warpledger/layout/catalog/fragment.h"

namespace warpledger {

struct AuditFinding {
  int64_t points = 0;  // threads x elements compared
  int64_t differences = 0;
  std::string first;      // the first difference in words; empty when equal
  std::string corrected;  // the catalog's layout in the same notation
};

/// Compares a layout text with the fragment. CuTe texts are (thread, value) layouts, of an N x K
/// matrix for B as CuTe stores it. Fails when the text cannot be read as such a layout.
[[nodiscard]] Result<AuditFinding> audit(const Fragment& fragment, const std::string& text);

}  // namespace warpledger
