#include "warpledger/ncu/csv.h"

namespace warpledger::ncu {

std::optional<std::vector<std::string>> next_row(std::string_view text, size_t& at) {
  if (at >= text.size()) return {};
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      cells.back() += '"';
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      cells.back() += c;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  if (at < text.size()) ++at;
  return cells;
}

}  // namespace warpledger::ncu
