// A Report is what a command answers: a verdict, tables, remarks; the same value in every format.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "warpledger/render/table.h"

namespace warpledger {

/// Raised when a field of any report changes its name or meaning.
inline constexpr int kReportSchemaVersion = 1;

struct Report {
  std::string command;                    // "occupancy"
  std::vector<std::string> verdict = {};  // what to know first, a sentence a line
  std::vector<Table> tables = {};
  std::vector<std::string> remarks = {};  // what to do next
};

/// Text, Markdown and CSV end with a newline. CSV holds the tables alone, an empty line between
/// them.
[[nodiscard]] std::string render(const Report& report, Format format);

/// Rows as objects of raw values by key, each with a "fidelity" object for its numbers.
[[nodiscard]] nlohmann::ordered_json to_json(const Table& table);

}  // namespace warpledger
