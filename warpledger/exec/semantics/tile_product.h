// mma.m16n8 of floating point, 16 x 8 results at a time (numeric/tensor_tile.h): what compiled code
// calls. Equal to MatrixProduct bit for bit, or not done at all.
#pragma once

#include <optional>

#include "warpledger/exec/numeric/tile_vectors.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec {

class TileProduct {
 public:
  /// None when the product has another shape or other types.
  [[nodiscard]] static std::optional<TileProduct> of(const MatrixProduct& plan);

  /// Registers of 32 bits, [register][lane]. False, and d as it was, where an operand is infinite,
  /// NaN or of an exponent near the ends, or C is -0: then `plan` must compute.
  [[nodiscard]] bool operator()(const uint32_t* a, const uint32_t* b, const uint32_t* c,
                                uint32_t* d) const;

 private:
  enum class Input : uint8_t { kF16, kBf16, kTf32 };
  /// Where an element stands: its register and lane, the shift there, and the place in the tile.
  struct Element {
    uint16_t word, shift, place;
  };
  using Elements = std::vector<Element>;

  /// False, and d as it was, where other forms or values are asked for than vectors take.
  [[nodiscard]] bool multiply_fragments(const numeric::Fragments& fragments) const;
  [[nodiscard]] bool unpack(numeric::TensorTile& tile, const uint32_t* a, const uint32_t* b) const;
  [[nodiscard]] bool unpack_c(numeric::TensorTile& tile, const uint32_t* c) const;
  void pack(const numeric::TensorTile& tile, uint32_t* d) const;

  int k_ = 0;
  Input input_ = Input::kF16;
  bool half_result_ = false;
  numeric::TensorCore core_;
  Elements a_, b_, c_;
};

}  // namespace warpledger::exec
