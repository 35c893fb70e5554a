// `warpledger layout ...`: one file per question, all hung up in layout.cpp.
#pragma once

#include "cli/terminal/output.h"
#include "warpledger/layout/resolve.h"

namespace warpledger::cli {

/// Options that every layout question shares.
struct LayoutText {
  std::string arch;
  std::string shape;
  int elements = 0;
};
void add_layout_text_options(Command& command, LayoutText& options);
[[nodiscard]] Result<ResolveOptions> resolve_options(const LayoutText& options);
/// "9,3" -> (9, 3), "16x8" with separator 'x'.
[[nodiscard]] Result<std::pair<int, int>> parse_pair(const std::string& text, char separator);

void add_layout_list(Command& layout, Session& session);
void add_layout_show(Command& layout, Session& session);
void add_layout_derive(Command& layout, Session& session);
void add_layout_fit(Command& layout, Session& session);
void add_layout_banks(Command& layout, Session& session);
void add_layout_convert(Command& layout, Session& session);
void add_layout_reduce(Command& layout, Session& session);
void add_layout_audit(Command& layout, Session& session);
void add_layout_memory(Command& layout, Session& session);

}  // namespace warpledger::cli
