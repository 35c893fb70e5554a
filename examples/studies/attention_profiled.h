// Attention under the profiler: naive (three kernels, kernels/naive_attention.cu) and flash
// (kernels/flash_attention.cu), one head of dimension 64 in halves, beside the closed forms.
//
// The naive kernels are run twice: each with empty caches, as ncu does it, and each with the L2 as
// the kernel before left it, as a program does it. The second tells what of S and P goes through
// DRAM, and that is a matter of the L2's size.
#pragma once

#include "examples/studies/attention.h"

namespace warpledger::study {

/// Bytes of all launches of a program, added up.
struct MovedBytes {
  int64_t l2 = 0;  // between L1 and L2, both ways
  int64_t dram_read = 0, dram_written = 0;
  int64_t left_in_l2 = 0;  // written by the last kernel, not yet by the L2
  [[nodiscard]] int64_t dram() const { return dram_read + dram_written; }
};

struct ProfiledAttention {
  int64_t n = 0;
  std::string gpu_id, gpu, program;  // id and name; "naive", "flash"
  int64_t formula_bytes = 0;         // of the tile program with the kernel's tiles
  MovedBytes cold, in_sequence;
  int64_t scores_bytes = 0;      // of S; 0: the program has none
  int64_t scores_from_dram = 0;  // of S, read by the second kernel in sequence
  double seconds = 0;            // with empty caches
};

/// Pre: options.profiled are multiples of 128 and at most 4096. By GPU, then N, naive first.
[[nodiscard]] Result<std::vector<ProfiledAttention>> profile_attention(
    const AttentionForms& half, const AttentionOptions& options);

[[nodiscard]] Table profiled_table(const std::vector<ProfiledAttention>& rows);

/// For each GPU: up to which N its L2 keeps S, by the counters and by its size; and what that makes
/// of naive against flash.
[[nodiscard]] std::string profiled_text(const std::vector<ProfiledAttention>& rows,
                                        const std::vector<Gpu>& gpus);

}  // namespace warpledger::study
