#include "tests/unit/tile/random_program.h"

#include <fmt/core.h>

#include "warpledger/tile/parser.h"

namespace warpledger::tile::testing {

void RandomProgram::line(const std::string& text) { text_ += indent_ + text + "\n"; }
std::string RandomProgram::fresh(const std::string& stem) {
  return stem + std::to_string(names_++);
}

/// Any tile with these properties; an empty word allows all.
const RandomProgram::Tile* RandomProgram::pick(const std::string& space, const std::string& rows,
                                               const std::string& cols) {
  std::vector<const Tile*> fitting;
  for (const Tile& tile : tiles_) {
    if ((space.empty() || tile.space == space) && (rows.empty() || tile.rows == rows) &&
        (cols.empty() || tile.cols == cols)) {
      fitting.push_back(&tile);
    }
  }
  return fitting.empty() ? nullptr : rng_.pick(fitting);
}

void RandomProgram::load() {
  const std::string tensor = rng_.pick(std::vector<std::string>{"A", "C", "W"});
  const std::string space = rng_.coin() ? "shared" : "registers";
  const bool blocked = tensor != "W" && !block_.empty() && rng_.between(0, 3) > 0;
  const std::string name = fresh("x");
  const std::string slice = blocked ? fmt::format("{}[{} of B, :]", tensor, block_) : tensor;
  line(fmt::format("{} = copy {} to {}", name, slice, space));
  tiles_.push_back({name, tensor == "W" ? "d" : blocked ? "B" : "N", "d", space});
}

RandomProgram::Tile RandomProgram::in_registers(const Tile& tile) {
  if (tile.space == "registers") return tile;
  const std::string name = fresh("r");
  line(fmt::format("{} = copy {} to registers", name, tile.name));
  tiles_.push_back({name, tile.rows, tile.cols, "registers"});
  return tiles_.back();
}

void RandomProgram::copy() {
  const Tile* tile = pick("", "", "");
  if (tile == nullptr) return;
  const Tile from = *tile;
  const std::string space = rng_.coin() ? "shared" : "registers";
  const std::string name = fresh("y");
  line(fmt::format("{} = copy {} to {}", name, from.name, space));
  tiles_.push_back({name, from.rows, from.cols, space});
}

void RandomProgram::product() {
  const Tile* left = pick("", "", "");
  if (left == nullptr || left->cols == "1") return;
  const Tile a = *left;
  const bool transposed = rng_.coin();
  const Tile* right = transposed ? pick("shared", "", a.cols) : pick("shared", a.cols, "");
  if (right == nullptr || right->cols == "1") return;
  const Tile b = *right;
  const std::string name = fresh("s");
  line(fmt::format("{} = {} @ {}{}", name, a.name, b.name, transposed ? "^T" : ""));
  tiles_.push_back({name, a.rows, transposed ? b.rows : b.cols, "registers"});
}

void RandomProgram::elementwise() {
  const Tile* tile = pick("registers", "", "");
  if (tile == nullptr) return;
  const Tile a = *tile;
  const std::string name = fresh("e");
  const Tile* column = pick("registers", a.rows, "1");
  const Tile* same = pick("registers", a.rows, a.cols);
  std::vector<std::string> formulas = {a.name + " * c", "0.5 * " + a.name,
                                       fmt::format("tanh({} - {})", a.name, same->name),
                                       fmt::format("{} + {}", a.name, same->name)};
  if (column != nullptr) {
    formulas.push_back(fmt::format("{} / (abs({}) + 1)", a.name, column->name));
    formulas.push_back(fmt::format("{} * {}", a.name, column->name));
  }
  line(fmt::format("{} = {}", name, rng_.pick(formulas)));
  tiles_.push_back({name, a.rows, a.cols, "registers"});
}

void RandomProgram::reduction() {
  const Tile* tile = pick("registers", "", "");
  if (tile == nullptr || tile->cols == "1") return;
  const Tile a = *tile;
  const std::string name = fresh("m");
  line(fmt::format("{} = {}({})", name, rng_.coin() ? "rowmax" : "rowsum", a.name));
  tiles_.push_back({name, a.rows, "1", "registers"});
}

/// softmax(a @ b^T) @ v, normalized before or after the product.
void RandomProgram::softmax() {
  line(fmt::format("q{0} = copy {1} to shared", names_,
                   block_.empty() ? "A" : fmt::format("A[{} of B, :]", block_)));
  const std::string rows = block_.empty() ? "N" : "B";
  const int n = names_++;
  line(fmt::format("k{} = copy C to shared", n));
  line(fmt::format("s{0} = q{0} @ k{0}^T", n));
  line(fmt::format("t{0} = s{0} * c", n));
  line(fmt::format("m{0} = rowmax(t{0})", n));
  line(fmt::format("e{0} = exp(t{0} - m{0})", n));
  line(fmt::format("l{0} = rowsum(e{0})", n));
  line(fmt::format("v{} = copy A to shared", n));
  if (rng_.coin()) {
    line(fmt::format("p{0} = e{0} / l{0}", n));
    line(fmt::format("o{0} = p{0} @ v{0}", n));
  } else {
    line(fmt::format("u{0} = e{0} @ v{0}", n));
    line(fmt::format("o{0} = u{0} / l{0}", n));
  }
  tiles_.push_back({fmt::format("o{}", n), rows, "d", "registers"});
  if (rng_.between(0, 3) == 0) store({fmt::format("e{}", n), rows, "N", "registers"});
}

void RandomProgram::scaled_product() {
  const Tile* left = pick("registers", "", "d");
  if (left == nullptr) return;
  const Tile a = *left;
  const int n = names_++;
  line(fmt::format("w{} = copy W to shared", n));
  if (rng_.coin()) {
    line(fmt::format("a{} = {} * c", n, a.name));
    line(fmt::format("o{0} = a{0} @ w{0}", n));
  } else {
    line(fmt::format("a{0} = {1} @ w{0}", n, a.name));
    line(fmt::format("o{0} = a{0} * c", n));
  }
  tiles_.push_back({fmt::format("o{}", n), a.rows, "d", "registers"});
}

void RandomProgram::store(const Tile& tile) {
  const std::string name = fresh("O");
  const bool blocked = tile.rows == "B" && !block_.empty();
  if (grid_ && !(blocked && block_ == "i")) return;  // blocks would race
  if (tile.rows == "B" && !blocked) return;
  declarations_ +=
      fmt::format("output {}[{}, {}] f32\n", name, blocked ? "N" : tile.rows, tile.cols);
  std::string from = tile.name;
  if (rng_.coin() && tile.space == "registers") {
    from = fresh("z");
    line(fmt::format("{} = copy {} to shared", from, tile.name));
  }
  const std::string index = blocked ? fmt::format("[{} of B, :]", block_) : "";
  line(fmt::format("copy {} to {}{}", from, name, index));
}

void RandomProgram::store_some() {
  for (int i = 0; i < 2; ++i) {
    const Tile* tile = pick("", block_.empty() ? "" : "B", "");
    if (tile != nullptr) store(*tile);
  }
}

/// An accumulator, a loop that adds to it, and what follows; sometimes two such loops.
void RandomProgram::loop() {
  if (in_loop_ || grid_) return;
  for (int64_t turn = rng_.between(1, 2); turn > 0; --turn) {
    const std::string sum = fresh("acc");
    line(fmt::format("accumulator {}[N, d] f32 = 0", sum));
    const std::vector<Tile> outside = tiles_;
    line("for j in N/B {");
    const std::string outer_indent = indent_;
    indent_ += "  ";
    in_loop_ = true;
    block_ = "j";
    load();
    statements(3);
    const Tile* left = pick("", "N", "B");
    if (left == nullptr) {
      const std::string n = std::to_string(names_++);
      line(fmt::format("a{} = copy A to shared", n));
      line(fmt::format("b{} = copy C[j of B, :] to shared", n));
      line(fmt::format("s{0} = a{0} @ b{0}^T", n));
      tiles_.push_back({"b" + n, "B", "d", "shared"});
      tiles_.push_back({"s" + n, "N", "B", "registers"});
      left = &tiles_.back();
    }
    const std::string product = left->name;
    const Tile* right = pick("shared", "B", "d");
    if (right != nullptr) line(fmt::format("{} += {} @ {}", sum, product, right->name));
    store_some();
    if (rng_.coin()) {  // stored in every turn, though only the last counts
      block_ = "";
      store({sum, "N", "d", "registers"});
    }
    in_loop_ = false;
    indent_ = outer_indent;
    block_ = "";
    line("}");
    tiles_ = outside;
    store({sum, "N", "d", "registers"});
  }
}

/// Partial products stored by slot, of which only the sum is read.
void RandomProgram::summed_loop() {
  if (in_loop_ || grid_) return;
  const int n = names_++;
  const bool staged = rng_.coin();
  declarations_ += fmt::format("output Z{}[N/B, N, d] f32 summed over N/B\n", n);
  line(fmt::format("a{} = copy A to shared", n));
  line(fmt::format("for j{} in N/B {{", n));
  line(fmt::format("  b{0} = copy C[j{0} of B, :] to shared", n));
  line(fmt::format("  s{0} = a{0} @ b{0}^T", n));
  line(fmt::format("  p{0} = s{0} * c", n));
  line(fmt::format("  o{0} = p{0} @ b{0}", n));
  if (staged) line(fmt::format("  z{0} = copy o{0} to shared", n));
  line(fmt::format("  copy {0}{1} to Z{1}[j{1}, :, :]", staged ? "z" : "o", n));
  line("}");
}

/// Loads what the kernel before left in scratch memory, to be fused.
void RandomProgram::read_back() {
  for (const Tile& tensor : scratch_) {
    const std::string name = fresh("y");
    const std::string index = grid_ ? "[i of B, :]" : "";
    line(fmt::format("{} = copy {}{} to {}", name, tensor.name, index, tensor.space));
    tiles_.push_back({name, grid_ ? "B" : "N", tensor.cols, tensor.space});
  }
  scratch_.clear();
}

void RandomProgram::statement() {
  switch (rng_.between(0, 9)) {
    case 0:
    case 1:
      return load();
    case 2:
      return copy();
    case 3:
    case 4:
      return product();
    case 5:
      return elementwise();
    case 6:
      return reduction();
    case 7:
      return scaled_product();
    case 8:
      return in_loop_ ? load() : softmax();
    default:
      return rng_.coin() ? loop() : summed_loop();
  }
}

void RandomProgram::statements(int count) {
  for (int i = 0; i < count; ++i) statement();
}

void RandomProgram::kernel(int number) {
  tiles_.clear();
  block_ = grid_ ? "i" : "";
  text_ += fmt::format("\nkernel k{}{} {{\n", number, grid_ ? "(i in N/B)" : "");
  indent_ = "  ";
  read_back();
  load();
  statements(2 + rng_.size() / 16);
  store_some();
  const Tile* passed = pick("", grid_ ? "B" : "N", "d");
  if (passed != nullptr) {
    const std::string name = fresh("T");
    declarations_ += fmt::format("scratch {}[N, d] f32\n", name);
    line(fmt::format("copy {} to {}{}", passed->name, name, grid_ ? "[i of B, :]" : ""));
    scratch_.push_back({name, "N", "d", rng_.coin() ? "shared" : "registers"});
  }
  text_ += "}\n";
}

CheckedProgram RandomProgram::make() {
  target_ = rng_.coin() ? "sm_80" : "sm_90";
  grid_ = rng_.between(0, 3) == 0;
  const int64_t kernels = rng_.between(1, 3);
  for (int k = 0; k < kernels; ++k) kernel(k);
  const std::string text = fmt::format(
      "program random\ntarget {}\nsize N, d, B\nassume B divides N\nscalar c\n"
      "input A[N, d] f32\ninput C[N, d] f32\ninput W[d, d] f32\n{}{}",
      target_, declarations_, text_);
  auto program = parse("random.tile", text);
  if (!program) ADD_FAILURE() << text << to_text(program.error());
  WL_CHECK(program);
  auto checked = check(*std::move(program));
  if (!checked) ADD_FAILURE() << text << to_text(checked.error());
  WL_CHECK(checked);
  return *std::move(checked);
}

}  // namespace warpledger::tile::testing
