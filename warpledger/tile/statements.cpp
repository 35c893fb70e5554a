#include "warpledger/tile/statements.h"

namespace warpledger::tile {
namespace {

void collect(const Formula& formula, std::vector<std::string>* names) {
  if (!formula.number && formula.args.empty()) names->push_back(formula.head);
  for (const Formula& arg : formula.args) collect(arg, names);
}

using Names = std::vector<std::string>;

Names read_by(const Load& s) { return {s.from.name}; }
Names read_by(const Store& s) { return {s.tile}; }
Names read_by(const Wait& s) { return {s.tile}; }
Names read_by(const Matmul& s) {
  return s.accumulates ? Names{s.left, s.right, s.result} : Names{s.left, s.right};
}
Names read_by(const Elementwise& s) { return names_in(s.formula); }
Names read_by(const Reduce& s) {
  return s.accumulates ? Names{s.source, s.result} : Names{s.source};
}
Names read_by(const Accumulator&) { return {}; }
Names read_by(const Loop&) { return {}; }

using Name = std::optional<std::string>;

Name written_by(const Load& s) { return s.result; }
Name written_by(const Store&) { return {}; }
Name written_by(const Wait&) { return {}; }
Name written_by(const Matmul& s) { return s.result; }
Name written_by(const Elementwise& s) { return s.result; }
Name written_by(const Reduce& s) { return s.result; }
Name written_by(const Accumulator& s) { return s.name; }
Name written_by(const Loop&) { return {}; }

}  // namespace

std::vector<std::string> names_in(const Formula& formula) {
  std::vector<std::string> names;
  collect(formula, &names);
  return names;
}

std::vector<std::string> tiles_read(const Statement& statement) {
  return std::visit([](const auto& s) { return read_by(s); }, statement.node);
}

std::optional<std::string> tile_written(const Statement& statement) {
  return std::visit([](const auto& s) { return written_by(s); }, statement.node);
}

const Place* global_read(const Program& program, const Statement& statement) {
  const auto* load = std::get_if<Load>(&statement.node);
  return load != nullptr && program.tensor(load->from.name) != nullptr ? &load->from : nullptr;
}

const Place* global_written(const Statement& statement) {
  const auto* store = std::get_if<Store>(&statement.node);
  return store != nullptr ? &store->to : nullptr;
}

}  // namespace warpledger::tile
