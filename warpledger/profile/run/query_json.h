// A question as JSON: what a server or a batch reads, and what a key of the store is made of.
//
//   { "file": "matmul.cu", "kernel": "matmul_tiled", "gpu": "a100", "grid": [8, 8], "block": [16,
//   16],
//     "arguments": ["A=f32[128x128]", "i32:128"], "options": { "registers": 38 } }
//
// What is left out has its default. An unknown field is refused: it may have been meant to change
// the answer.
#pragma once

#include "warpledger/profile/run/query.h"

namespace warpledger::profile {

/// Every field, in a fixed order: equal questions give equal texts. `given` is left out.
[[nodiscard]] std::string to_json(const Query& query);

/// Fails with "bad-query".
[[nodiscard]] Result<Query> query_from_json(const Source& source);

}  // namespace warpledger::profile
