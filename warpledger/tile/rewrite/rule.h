// rewrite/: programs that mean the same and move fewer bytes. A rule is one law of algebra or of
// order with side conditions; it answers with every program that one use of it makes. Rules know
// statements and their dependences; they do not know costs. search.h walks the programs they make.
//
// Every program a rule makes passes check(): what the target cannot do (an operand in the wrong
// space, a racing store) is not a rewrite.
#pragma once

#include <string>
#include <vector>

#include "warpledger/tile/check.h"

namespace warpledger::tile {

/// One use of a rule: where, and the program it makes.
struct Rewriting {
  std::string place;
  Program program;
};

using Rewritings = std::vector<Rewriting>;

struct Rule {
  std::string name;
  std::string law;        // one line
  bool is_staged = true;  // keeps every global access going through shared memory
  Rewritings (*apply)(const Program& program, const std::vector<TileTypes>& types) = nullptr;
};

[[nodiscard]] const std::vector<Rule>& all_rules();
/// The rules of the staged world: every global access goes through shared memory.
[[nodiscard]] std::vector<Rule> staged_rules();
/// The rules that change how work is cut into kernels, blocks and loops: what leads from naive to
/// flash attention, without the rules that only place copies.
[[nodiscard]] std::vector<Rule> fusion_rules();
[[nodiscard]] std::vector<std::string> rule_names();

/// A rewriting that passed check().
struct CheckedRewriting {
  std::string place;
  CheckedProgram program;
};

/// The rewritings of one rule that pass check().
[[nodiscard]] std::vector<CheckedRewriting> apply(const Rule& rule, const CheckedProgram& program);

// One function a rule, in the files of this folder.
using Types = std::vector<TileTypes>;
[[nodiscard]] Rewritings operand_to_registers(const Program& program, const Types& types);
[[nodiscard]] Rewritings load_directly(const Program& program, const Types& types);
[[nodiscard]] Rewritings store_directly(const Program& program, const Types& types);
[[nodiscard]] Rewritings reuse_tile(const Program& program, const Types& types);
[[nodiscard]] Rewritings drop_unused(const Program& program, const Types& types);
[[nodiscard]] Rewritings hoist(const Program& program, const Types& types);
[[nodiscard]] Rewritings defer_store(const Program& program, const Types& types);
[[nodiscard]] Rewritings accumulate_output(const Program& program, const Types& types);
[[nodiscard]] Rewritings fuse_loops(const Program& program, const Types& types);
[[nodiscard]] Rewritings fuse_kernels(const Program& program, const Types& types);
[[nodiscard]] Rewritings scale_into_operand(const Program& program, const Types& types);
[[nodiscard]] Rewritings scale_out_of_product(const Program& program, const Types& types);
[[nodiscard]] Rewritings tile_over_grid(const Program& program, const Types& types);
[[nodiscard]] Rewritings tile_into_loop(const Program& program, const Types& types);
[[nodiscard]] Rewritings online_softmax(const Program& program, const Types& types);

}  // namespace warpledger::tile
