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
void add_layout_text_options(CLI::App& command, LayoutText& options);
[[nodiscard]] Result<ResolveOptions> resolve_options(const LayoutText& options);
/// "9,3" -> (9, 3), "16x8" with separator 'x'.
[[nodiscard]] Result<std::pair<int, int>> parse_pair(const std::string& text, char separator);

void add_layout_list(CLI::App& layout, Session& session);
void add_layout_show(CLI::App& layout, Session& session);
void add_layout_derive(CLI::App& layout, Session& session);
void add_layout_fit(CLI::App& layout, Session& session);
void add_layout_banks(CLI::App& layout, Session& session);
void add_layout_convert(CLI::App& layout, Session& session);
void add_layout_reduce(CLI::App& layout, Session& session);
void add_layout_audit(CLI::App& layout, Session& session);
void add_layout_memory(CLI::App& layout, Session& session);

}  // namespace warpledger::cli
