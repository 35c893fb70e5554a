// How a fragment, or a formula for rows and columns, meets a tile in shared memory: one
// SharedAccess per instruction of the warp.
#pragma once

#include <vector>

#include "warpledger/layout/banks/banks.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger {

/// Where element (row, col) lies: (row, col) -> byte offset.
struct SharedTile {
  Layout offsets;
  int element_bytes = 4;
};

/// A CuTe (row, col) layout in elements, e.g. "Swizzle<3,3,3> o (64,64):(64,1)".
[[nodiscard]] Result<SharedTile> read_tile(const std::string& text, int element_bytes);

/// The accesses of a warp that moves `fragment`, (register, lane) -> (row, col), to or from the
/// tile. `bytes` per lane and instruction; 0 takes the widest vector, up to 16, whose elements are
/// neighbors in the tile for consecutive registers of every lane.
[[nodiscard]] Result<std::vector<SharedAccess>> tile_accesses(const Layout& fragment,
                                                              const SharedTile& tile,
                                                              int bytes = 0);

/// A proposal that removes conflicts, and what it costs.
struct Remedy {
  std::string text;         // "Swizzle<3,4,3> on byte offsets", "16 bytes of padding every 128"
  int wavefronts = 0;       // of all accesses together
  int64_t extra_bytes = 0;  // that padding adds to the tile
  std::optional<Swizzle> swizzle = {};  // on byte offsets; absent for padding
};

/// The best swizzle and the best padding for all accesses together, fewest wavefronts first, then
/// fewest extra bytes. Offsets change only above the widest vector, so vectors stay whole.
[[nodiscard]] std::vector<Remedy> propose_remedies(const std::vector<SharedAccess>& accesses);

}  // namespace warpledger
