// gemm: what each step of the classic ladder does to each edge. Six kernels
// (kernels/gemm_ladder.cu) compute the same product; each differs from the one before in one thing.
// All are profiled, and one page shows the bytes over every edge beside the least that any kernel
// must move.
#pragma once

#include "warpledger/base/drawing.h"
#include "warpledger/base/table.h"
#include "warpledger/sweep/files.h"
#include "warpledger/sweep/profiled.h"

namespace warpledger::study {

struct GemmOptions {
  Gpu gpu;
  int64_t n = 512;  // a multiple of 64
  RunOptions run = {};
};

struct GemmStep {
  std::string name;    // "coalesced"
  std::string change;  // what is new against the step before
  KernelCase launch;
  int64_t element_bytes = 4;  // of A and B
};
[[nodiscard]] std::vector<GemmStep> gemm_steps(int64_t n);

/// A step and what it moved, bytes.
struct GemmResult {
  GemmStep step;
  int64_t n = 0;
  profile::Profile profile;
  int64_t requests = 0;                 // of warps, to global and shared memory
  int64_t asked = 0, shared = 0;        // by threads, both ways
  int64_t l1_sectors = 0;               // of global requests, as bytes: what the L1 must look up
  int64_t l2_read = 0, l2_written = 0;  // between L1 and L2
  int64_t dram_read = 0, dram_written = 0;
};
[[nodiscard]] Result<std::vector<GemmResult>> run_gemm(const GemmOptions& options);

/// One row a step: bytes over each edge, requests, conflicts, what limits.
[[nodiscard]] Table gemm_table(const std::vector<GemmResult>& results);
/// What each step did to an edge, where it changed by a quarter or more.
[[nodiscard]] std::vector<std::string> gemm_sentences(const std::vector<GemmResult>& results);
[[nodiscard]] Drawing gemm_bars(const std::vector<GemmResult>& results, const Gpu& gpu);

/// The text of kernels/gemm_ladder.cu.
[[nodiscard]] std::string_view gemm_source();

/// The overview, and each step's whole profile behind it.
[[nodiscard]] std::string gemm_page(const std::vector<GemmResult>& results, const Table& table,
                                    const Drawing& bars);

/// README.md, steps.csv, steps.json, bytes.svg and .png, report.html.
[[nodiscard]] Result<Files> gemm_study(const GemmOptions& options);

}  // namespace warpledger::study
