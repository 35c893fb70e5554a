// Finding one's way in a program: bodies by path, names that are free, who uses a tile.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "warpledger/tile/program.h"
#include "warpledger/tile/statements.h"

namespace warpledger::tile {

/// A statement: its kernel, the loops around it by their index in the body that holds them, and its
/// index in the innermost body.
struct Site {
  size_t kernel = 0;
  std::vector<size_t> loops = {};
  size_t at = 0;
};

[[nodiscard]] const Body& body_at(const Program& program, const Site& site);
[[nodiscard]] Body& body_at(Program& program, const Site& site);

/// All statements, loops before what they hold.
[[nodiscard]] std::vector<Site> all_sites(const Program& program);
[[nodiscard]] const Statement& statement_at(const Program& program, const Site& site);
/// The statement itself when it is of kind T, else null.
template <class T>
[[nodiscard]] const T* node_at(const Program& program, const Site& site) {
  return std::get_if<T>(&statement_at(program, site).node);
}

/// "attention: QK = Q_smem @ K_smem^T".
[[nodiscard]] std::string place_text(const Program& program, const Site& site);

/// Calls visit for every statement of the body and of the loops in it.
void for_each(const Body& body, const std::function<void(const Statement&)>& visit);
void for_each(Body& body, const std::function<void(Statement&)>& visit);

/// How many times statements of the body (and of loops in it) read `tile`.
[[nodiscard]] int reads_of(const Body& body, const std::string& tile);
[[nodiscard]] std::set<std::string> tiles_written(const Body& body);
[[nodiscard]] std::set<std::string> tensors_stored(const Body& body);
[[nodiscard]] std::set<std::string> tensors_loaded(const Program& program, const Body& body);

[[nodiscard]] bool mentions(const Expression& expression, const std::string& name);
/// A slice depends on this index.
[[nodiscard]] bool mentions(const Place& place, const std::string& index);
[[nodiscard]] bool contains(const std::vector<std::string>& names, const std::string& name);

/// `wanted`, or `wanted_2`, `wanted_3` ... : the first that means nothing in the kernel.
[[nodiscard]] std::string free_name(const Program& program, const Kernel& kernel,
                                    const std::string& wanted);
/// "Q" for "Q_smem" and "Q_reg".
[[nodiscard]] std::string stem(const std::string& tile);

using Renaming = std::map<std::string, std::string>;
/// Tiles and loop indices renamed wherever they occur.
void rename(Body& body, const Renaming& names);
[[nodiscard]] Formula renamed(const Formula& formula, const Renaming& names);
[[nodiscard]] Statement renamed(Statement statement, const Renaming& names);

}  // namespace warpledger::tile
