// Where an architecture's driver lays out what a kernel finds before its first instruction.
//
// Constant bank 0, as ptxas 13.0 uses it. sm_75 to sm_90: block size at 0x0, grid size at 0xc,
// shared window at 0x18, local window at 0x20, top of the stack at 0x28; parameters from 0x160 on,
// from 0x210 on sm_90; there the address of the parameters is at 0x198, and from 0x140 on stands
// what special registers of clusters are computed from. sm_100 and sm_120: local window at 0x2f8,
// the address of the parameters at 0x348, block size at 0x360, whether there are clusters at 0x36c,
// grid size at 0x370, top of the stack at 0x37c, parameters from 0x380 on. What a kernel asks about
// its cluster stands from 0x2a0 on, in tables of 160 bytes that SR_CgaSize chooses between: here it
// is 0, and there is one table.
// EIATTR_PARAM_CBANK says it where a kernel's parameters lie elsewhere (0x1a80 for more than 4 KB
// on sm_80). The memory descriptors that sm_90 and its successors load are zero: nothing here
// depends on them.
//
// Shared memory of sm_90 and its successors begins with 1 KB that belongs to the system: a kernel's
// own begins at 0x400.
#pragma once

#include <cstdint>
#include <string>

namespace warpledger::exec::machine {

inline constexpr uint64_t kNowhere = ~uint64_t{0};

/// What a kernel asks about its cluster.
struct ClusterPlaces {
  uint64_t is_explicit = kNowhere;  // whether there is one
  uint64_t blocks = 0;              // along x, y and z
  uint64_t reciprocals = 0;         // of these, as f32
  uint64_t clusters = 0;            // along x, y and z
  uint64_t all = 0;                 // blocks in all
};

struct BankLayout {
  int architecture = 0;  // 86
  uint64_t block = 0, grid = 0, shared_window = kNowhere, local_window = 0, stack = 0;
  uint64_t parameter_window = kNowhere;  // a generic address: of `parameters` in the bank
  ClusterPlaces cluster = {};
  uint32_t parameters = 0;    // where the cubin does not say
  uint32_t shared_begin = 0;  // the first byte of shared memory that is a kernel's own
};

/// Null where nothing is known of the architecture: its machine code does not run.
[[nodiscard]] const BankLayout* find_bank_layout(int architecture);

/// Those whose machine code runs: "sm_75, sm_80 and sm_86".
[[nodiscard]] std::string known_architectures();

}  // namespace warpledger::exec::machine
