// ncu/: what Nsight Compute wrote, read back: numbers that hardware counted, to hold ours against;
// and its report files, written (rep_file.h). The room knows ncu's file formats and units; it must
// not know how anything is modeled, nor which label belongs to which metric of ours.
//
// Read are .ncu-rep files, `ncu --csv` (details, raw and --metrics pages), the text of the details
// page, and lists "metric,unit,value[,form,half]" such as those of tests/inputs/validation.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/ledger/ledger.h"

namespace warpledger::ncu {

/// A number in its base unit (byte, hz, ns, cycle, %), or words.
struct Entry {
  std::string section = {};  // "" on the raw page
  std::string name = {};     // a metric's name or a label
  std::string unit = {};     // base
  std::optional<double> value = {};
  double half = 0;         // of the last digit that was printed, in the base unit
  std::string words = {};  // as it was printed
  friend bool operator==(const Entry&, const Entry&) = default;
};

struct Launch {
  std::string kernel = {};
  std::string grid = {}, block = {};  // "(188, 250, 1)"
  std::string capability = {};        // "8.6"
  std::vector<Entry> entries = {};

  /// The number of that metric, looked up by name (the first of several sections).
  [[nodiscard]] const Entry* find(std::string_view name) const;
};

/// The launches of the file, in its order. Fails with "bad-ncu-file" on a text that is none of the
/// formats, or that breaks its own.
[[nodiscard]] Result<std::vector<Launch>> read_report(const Source& source);

/// A quantity in ncu's unit, in the base unit: 9.49 "Ghz" -> 9.49e9 "hz".
struct Scaled {
  double factor = 1;
  std::string unit = {};
};
[[nodiscard]] Scaled base_unit(const std::string& unit);

/// The traffic between L1, L2 and DRAM as far as the report counts it; Fidelity::kMeasured.
[[nodiscard]] Ledger ledger_of(const Launch& launch);

}  // namespace warpledger::ncu
