// Memory instructions on both sides, in the same words, and whether one can have become the other.
#pragma once

#include <optional>
#include <string_view>

#include "warpledger/ptx/module.h"
#include "warpledger/sass/code.h"

namespace warpledger::sass {

enum class AccessKind : uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kReduction,
  kAsyncCopy,    // cp.async, LDGSTS
  kLoadMatrix,   // ldmatrix, LDSM
  kStoreMatrix,  // stmatrix, STSM
};
enum class AccessSpace : uint8_t { kGeneric, kGlobal, kShared, kLocal };
[[nodiscard]] std::string_view to_text(AccessKind kind);
[[nodiscard]] std::string_view to_text(AccessSpace space);

/// What one instruction does to memory through the load/store unit.
struct MemoryAccess {
  AccessKind kind = AccessKind::kLoad;
  AccessSpace space = AccessSpace::kGeneric;
  uint32_t width = 0;    // bytes of a lane; 0 where the opcode does not say (wmma, matrices)
  bool is_wmma = false;  // wmma.load and wmma.store become several instructions
};

/// Of a PTX instruction; nothing when it does not go through the load/store unit.
[[nodiscard]] std::optional<MemoryAccess> access_of(const ptx::Module& module,
                                                    const ptx::Function& function,
                                                    const ptx::Instruction& instruction);

/// PTX that touches memory otherwise: bulk and tensor copies, mbarriers, tensor memory, constants,
/// textures. It is listed and not judged.
[[nodiscard]] bool is_other_memory(const ptx::Spelling& spelling);

/// Of a SASS instruction: LD/ST, LDG STG LDS STS LDL STL LDSM STSM LDGSTS ATOM* RED*.
[[nodiscard]] std::optional<MemoryAccess> access_of(const Instruction& instruction);

/// An opcode that looks like a load, store or atomic but is none that we know: to be reported.
[[nodiscard]] bool is_unknown_memory(const Instruction& instruction);

/// Whether ptxas can have made `sass` from `ptx`. Permissive for generic addresses and for atomics,
/// whose loops of compare-and-swap hold plain loads.
[[nodiscard]] bool fits(const MemoryAccess& ptx, const MemoryAccess& sass);

}  // namespace warpledger::sass
