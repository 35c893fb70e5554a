// Random programs that pass check(): straight-line kernels and loops over tiles of random shapes,
// with the patterns that rules look for mixed in (staged copies, scaled products, softmax).
#pragma once

#include <string>
#include <vector>

#include "tests/support/law.h"
#include "warpledger/tile/check.h"

namespace warpledger::tile::testing {

class RandomProgram {
 public:
  explicit RandomProgram(warpledger::testing::Rng& rng) : rng_(rng) {}

  /// A program over sizes N, d, B with `B divides N`; small enough to interpret in a millisecond.
  [[nodiscard]] CheckedProgram make();

 private:
  struct Tile {
    std::string name, rows, cols, space;
  };
  void kernel(int number);
  void statements(int count);
  void statement();
  void load();
  void copy();
  void product();
  void elementwise();
  void reduction();
  void softmax();
  void scaled_product();
  void loop();
  void summed_loop();
  void store(const Tile& tile);
  void store_some();
  void read_back();
  void line(const std::string& text);
  std::string fresh(const std::string& stem);
  const Tile* pick(const std::string& space, const std::string& rows, const std::string& cols);
  Tile in_registers(const Tile& tile);
  std::string staged_left(const Tile& tile);

  warpledger::testing::Rng& rng_;
  std::string target_, declarations_, text_, indent_;
  std::vector<Tile> tiles_;
  std::vector<Tile> scratch_;  // stored whole by the kernel before: name is the tensor's
  std::string block_;          // "i" or "j" where rows of inputs are taken in blocks, else empty
  bool grid_ = false, in_loop_ = false;
  int names_ = 0;
};

}  // namespace warpledger::tile::testing
