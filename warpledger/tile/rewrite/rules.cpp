// The rules by name: this table is what `warpledger tile rules` prints.
#include "warpledger/tile/rewrite/rule.h"

namespace warpledger::tile {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> kRules = {
      {"operand-to-registers",
       "a @ b == (copy a to registers) @ b, where the target takes that operand from registers",
       true, operand_to_registers},
      {"hoist", "for j { x = f; .. } == x = f; for j { .. }, where f does not change in the loop",
       true, hoist},
      {"scale-into-operand", "c * (a @ b) == (c * a) @ b, where a is in registers", true,
       scale_into_operand},
      {"scale-out-of-product", "(c * a) @ b == c * (a @ b), where c is a scalar or a column", true,
       scale_out_of_product},
      {"reuse-tile", "two copies of the same slice to the same space are one", true, reuse_tile},
      {"drop-unused", "a tile that is never read need not be computed", true, drop_unused},
      {"defer-store", "for j { x += ..; copy x to T } == for j { x += .. } copy x to T", true,
       defer_store},
      {"accumulate-output",
       "for j { copy x to T[j] } == for j { y += x } copy y to T[0], where T is summed", true,
       accumulate_output},
      {"fuse-loops",
       "for j { a } for j { b } == for j { a b }, where b needs nothing a has not made", true,
       fuse_loops},
      {"fuse-kernels",
       "two kernels of one grid are one; what passes between them stays in the block", true,
       fuse_kernels},
      {"tile-over-grid", "a dimension that nothing reduces is split among blocks", true,
       tile_over_grid},
      {"tile-into-loop",
       "a reduced dimension is walked in blocks; what is needed twice is made twice", true,
       tile_into_loop},
      {"online-softmax",
       "max over j, then sum of exp(t - max): one loop that rescales its sums when the max grows",
       true, online_softmax},
      {"load-direct", "global -> shared -> registers == global -> registers", false, load_directly},
      {"store-direct", "registers -> shared -> global == registers -> global", false,
       store_directly},
  };
  return kRules;
}

std::vector<Rule> staged_rules() {
  std::vector<Rule> rules;
  for (const Rule& rule : all_rules()) {
    if (rule.is_staged) rules.push_back(rule);
  }
  return rules;
}

std::vector<Rule> fusion_rules() {
  std::vector<Rule> rules;
  for (const Rule& rule : all_rules()) {
    if (rule.apply == fuse_kernels || rule.apply == tile_over_grid ||
        rule.apply == tile_into_loop || rule.apply == online_softmax ||
        rule.apply == scale_out_of_product) {
      rules.push_back(rule);
    }
  }
  return rules;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const Rule& rule : all_rules()) names.push_back(rule.name);
  return names;
}

std::vector<CheckedRewriting> apply(const Rule& rule, const CheckedProgram& program) {
  std::vector<CheckedRewriting> sound;
  for (Rewriting& made : rule.apply(*program, program.types())) {
    made.program.source = nullptr;
    auto checked = check(std::move(made.program));
    if (checked) sound.push_back({std::move(made.place), *std::move(checked)});
  }
  return sound;
}

}  // namespace warpledger::tile
