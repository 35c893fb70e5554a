// Where a command's answer goes: --format, --json and --export, the same for every command.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/terminal/session.h"
#include "warpledger/base/drawing.h"
#include "warpledger/base/result.h"
#include "warpledger/render/report.h"

namespace warpledger::cli {

struct OutputOptions {
  std::string format = "text";
  bool json = false;
  std::vector<std::string> exports = {};
};

void add_output_options(Command& command, OutputOptions& options);

/// An answer that can also be drawn; `drawing` is empty when it cannot.
struct Answer {
  Report report;
  std::function<Drawing()> drawing = nullptr;
  std::string text = {};  // replaces the report in the text format, e.g. ncu's own layout
  std::string json = {};  // replaces the report in the JSON format, e.g. a ledger that reads back
};

/// What an --export file holds, by its ending: .txt .json .wlrep .csv .md the report, .svg .png
/// .pdf the drawing.
[[nodiscard]] Result<std::string> exported(const Answer& answer, const std::string& path);
/// Writes each of them.
[[nodiscard]] Status write_exports(const OutputOptions& options, const Answer& answer);
/// As it is printed in the format asked for.
[[nodiscard]] std::string shown(const OutputOptions& options, const Answer& answer);
/// Writes the --export files and prints the answer in the format asked for.
void print(Session& session, const OutputOptions& options, const Answer& answer);

}  // namespace warpledger::cli
