// A Table is a plain value: any folder can answer with one, and render/ turns it into text, JSON,
// CSV or Markdown. A cell keeps both what a person reads and the raw value that a script wants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "warpledger/base/fidelity.h"

namespace warpledger {

enum class Align { kLeft, kRight };

struct Column {
  std::string name;  // as printed
  std::string key;   // field name in JSON and CSV, with the unit: "total_bytes"
  Align align = Align::kLeft;
};

/// monostate: the cell is empty (unknown or not applicable), JSON null.
using RawValue = std::variant<std::monostate, int64_t, double, std::string>;

struct Cell {
  std::string text;                       // what a person reads
  RawValue raw = {};                      // what a script reads
  std::optional<Fidelity> fidelity = {};  // set on every number

  Cell() = default;
  Cell(const char* words) : text(words), raw(text) {}
  Cell(std::string words) : text(std::move(words)), raw(text) {}
  Cell(int64_t n, Fidelity f);  // grouped: 1,234
  Cell(std::string shown, RawValue value, Fidelity f);
};

/// `rule_before` draws a line above the row (totals).
struct Row {
  std::vector<Cell> cells;
  bool rule_before = false;
};

struct Table {
  std::string title = {};
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
  std::vector<std::string> notes = {};  // printed below, one a line
};

}  // namespace warpledger
