// examples/studies/: many analyses into one directory of results, with the library as anybody has
// it. A study is a function from options to files (name -> bytes); the command writes them. It
// combines rooms' answers and explains them in words; it must not compute a byte count of its own.
//
// attention: how many bytes do naive and flash attention move? Closed forms derived from two tile
// programs, counted again by running them, drawn, and put under the roofs of machines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "examples/studies/ceilings.h"
#include "warpledger/base/table.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/sweep/files.h"
#include "warpledger/sweep/profiled.h"
#include "warpledger/tile/cost.h"

namespace warpledger::study {

struct AttentionOptions {
  Ceilings machine;                    // measured here, or read from a file
  std::vector<Gpu> gpus;               // whose roofs and caches are put beside it
  std::string version;                 // of the tool, for the manifest
  std::vector<int64_t> profiled = {};  // N at which the CUDA kernels run under the profiler
  RunOptions run = {};
};

[[nodiscard]] Result<Files> attention_study(const AttentionOptions& options);

/// The texts of tiles/attention_naive.tile and tiles/attention_flash.tile.
[[nodiscard]] std::string_view naive_attention();
[[nodiscard]] std::string_view flash_attention();

/// Global bytes of both programs for one element type, as formulas in N, d, Br.
struct AttentionForms {
  Expression naive, flash;              // outputs written
  Expression naive_reads, flash_reads;  // without the write of O
  Expression flops;                     // of the two products, the same in both
};
[[nodiscard]] AttentionForms attention_forms(const tile::ElementType& type);

/// The program with all its tensors in this type; what is stored is converted first.
[[nodiscard]] tile::Program in_type(tile::Program program, const tile::ElementType& type);

/// One problem: N keys and queries of length d, in tiles of Br = Bc = block.
struct Problem {
  int64_t n = 0, d = 0;
  int64_t block = 64;
};
[[nodiscard]] double value_at(const Expression& form, const Problem& problem);

/// The smallest multiple of the block for which naive/flash reaches `share` of its limit.
[[nodiscard]] int64_t n_at_share_of_limit(const Expression& ratio, Problem problem, double share);

// The parts of the study.
[[nodiscard]] Table bytes_table(const AttentionForms& forms);
[[nodiscard]] Table intensity_table(const AttentionForms& forms);
[[nodiscard]] Table cache_table(const std::vector<Gpu>& gpus);
/// Both programs run on random numbers, every byte counted; and how far their results are apart.
struct Measured {
  Table table;
  double worst_percent = 0;  // |counted - formula| / formula
  double worst_apart = 0;    // largest difference of an output element between the two programs
};
[[nodiscard]] Result<Measured> measure_attention(const AttentionForms& forms);
[[nodiscard]] Result<Files> attention_charts(const AttentionForms& forms,
                                             const AttentionOptions& options);
[[nodiscard]] Result<std::string> attention_readme(const AttentionForms& half,
                                                   const Measured& measured,
                                                   const AttentionOptions& options);
/// From the naive program to the flash ledger by rules alone: the derivation, as Markdown.
[[nodiscard]] Result<std::string> attention_derivation(const Gpu& gpu);

}  // namespace warpledger::study
