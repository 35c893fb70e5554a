// .tile text -> Program, and back. docs/tile-language.md has the grammar.
#pragma once

#include <string>

#include "warpledger/tile/program.h"

namespace warpledger::tile {

/// Reads a program; its meaning is not checked yet (check.h).
/// Post: to_text(*parse(to_text(p))) == to_text(p).
[[nodiscard]] Result<Program> parse(std::shared_ptr<const Source> source);
[[nodiscard]] Result<Program> parse(const std::string& name, const std::string& text);

[[nodiscard]] std::string to_text(const Program& program);
[[nodiscard]] std::string to_text(const Kernel& kernel);
/// One statement without its line end; a loop is only its head.
[[nodiscard]] std::string to_text(const Statement& statement);
[[nodiscard]] std::string to_text(const Place& place);
[[nodiscard]] std::string to_text(const Formula& formula);

}  // namespace warpledger::tile
