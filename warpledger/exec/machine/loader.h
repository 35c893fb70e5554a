// What the driver lays out before a kernel begins: constant banks, relocations, sizes.
//
// Bank 0 is bank_layout.h's. Bank 2 holds a kernel's own literals and branch tables, bank 3 the
// module's __constant__ variables, bank 4 addresses, which relocations fill in.
#pragma once

#include <array>
#include <memory>

#include "warpledger/base/result.h"
#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/machine/bank_layout.h"
#include "warpledger/exec/machine/spellings.h"

namespace warpledger::exec::machine {

inline constexpr int kBanks = 5;

/// A kernel's parameter: from where in the launch's bytes to where in bank 0.
struct ParameterPlace {
  uint64_t from = 0, to = 0, bytes = 0;
};

/// Bytes of shared memory.
struct Range {
  uint32_t begin = 0, end = 0;
};

struct Loaded {
  std::shared_ptr<const std::string> bytes;  // of the cubin
  sass::Cubin cubin;                         // points into `bytes`
  int architecture = 0;                      // 86
  const BankLayout* layout = nullptr;        // of the architecture
  Program program;
  Listing listing;  // of the program
  std::array<std::string, kBanks> banks;
  std::map<uint64_t, std::string> externals;  // functions that the cubin lacks, by address
  uint64_t entry = 0;                         // address of the kernel's first instruction
  uint32_t shared_bytes = 0;                  // the system's, static and dynamic
  Range tensor_books = {};     // of the system's, what code of tcgen05.alloc reads and writes
  uint32_t local_bytes = 0;    // of one lane
  uint32_t parameters_at = 0;  // in bank 0
  std::vector<ParameterPlace> parameters = {};
  Extent cluster = {1, 1, 1};  // blocks of one
  uint32_t registers = 0;      // that the program names, with room for vectors
  bool may_poll = false;       // lanes may ask again and again for what others have to do
  [[nodiscard]] uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// Constant bank 0 of a launch: its shape, windows and parameters.
[[nodiscard]] std::string bank_zero(const Launch& launch, const Loaded& loaded);

/// Bank 3: __constant__ variables as they stand now, where the cubin has them.
void fill_constants(const Image& image, const sass::Cubin& cubin, std::string& bank);

/// The launch's kernel out of `cubin`. Variables lie where `image` has put those of their names: a
/// cubin is loaded beside the PTX that it was made from. Fails without nvdisasm, on
/// architectures that bank_layout.h does not know, and for clusters where it does not know where a
/// kernel finds their size. Code that calls what only a driver has stops there, unless it is in
/// external.h; so does an instruction whose spelling is not `allowed`.
[[nodiscard]] Result<Loaded> load(const Image& image, const Launch& launch, std::string cubin,
                                  Spellings allowed = Spellings::kVerified);

}  // namespace warpledger::exec::machine
