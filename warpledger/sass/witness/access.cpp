#include "warpledger/sass/witness/access.h"

#include <algorithm>
#include <array>

namespace warpledger::sass {
namespace {

using ptx::MemoryKind;
using ptx::Op;

struct OpcodeRow {
  std::string_view name;
  AccessKind kind;
  AccessSpace space;
};

// RED takes generic addresses as well as global ones.
constexpr OpcodeRow kOpcodes[] = {
    {"LD", AccessKind::kLoad, AccessSpace::kGeneric},
    {"LDG", AccessKind::kLoad, AccessSpace::kGlobal},
    {"LDS", AccessKind::kLoad, AccessSpace::kShared},
    {"LDL", AccessKind::kLoad, AccessSpace::kLocal},
    {"LDSM", AccessKind::kLoadMatrix, AccessSpace::kShared},
    {"ST", AccessKind::kStore, AccessSpace::kGeneric},
    {"STG", AccessKind::kStore, AccessSpace::kGlobal},
    {"STS", AccessKind::kStore, AccessSpace::kShared},
    {"STL", AccessKind::kStore, AccessSpace::kLocal},
    {"STSM", AccessKind::kStoreMatrix, AccessSpace::kShared},
    {"LDGSTS", AccessKind::kAsyncCopy, AccessSpace::kGlobal},
    {"ATOM", AccessKind::kAtomic, AccessSpace::kGeneric},
    {"ATOMG", AccessKind::kAtomic, AccessSpace::kGlobal},
    {"ATOMS", AccessKind::kAtomic, AccessSpace::kShared},
    {"RED", AccessKind::kReduction, AccessSpace::kGeneric},
    {"REDG", AccessKind::kReduction, AccessSpace::kGlobal},
    {"REDS", AccessKind::kReduction, AccessSpace::kShared},
};

// Not of the load/store unit: constants, tensor memory, the copy engine, warp-wide reductions.
constexpr std::string_view kElsewhere[] = {"LDC",   "LDCU",      "ULDC",   "LDTM",  "STTM",
                                           "LDGMC", "REDUX",     "CREDUX", "REDAS", "STAS",
                                           "ULDCU", "LDGDEPBAR", "LDTRAM", "LDT",   "STT"};

AccessSpace space_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::kGlobal:
      return AccessSpace::kGlobal;
    case ptx::Space::kShared:
    case ptx::Space::kSharedCluster:
      return AccessSpace::kShared;
    case ptx::Space::kLocal:
      return AccessSpace::kLocal;
    default:
      return AccessSpace::kGeneric;
  }
}

MemoryAccess plain(const ptx::Spelling& spelling, AccessKind kind) {
  return {.kind = kind,
          .space = space_of(spelling.space()),
          .width = static_cast<uint32_t>(ptx::bits(spelling.type())) / 8 * spelling.vector};
}

/// Loads and stores of const and param never reach the load/store unit in a kernel.
bool is_constant(const ptx::Spelling& spelling) {
  return spelling.space() == ptx::Space::kConst || spelling.space() == ptx::Space::kParam;
}

bool may_share_space(const MemoryAccess& ptx, const MemoryAccess& sass) {
  return ptx.space == sass.space || ptx.space == AccessSpace::kGeneric ||
         sass.space == AccessSpace::kGeneric;
}

}  // namespace

std::string_view to_text(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "load";
    case AccessKind::kStore:
      return "store";
    case AccessKind::kAtomic:
      return "atomic";
    case AccessKind::kReduction:
      return "reduction";
    case AccessKind::kAsyncCopy:
      return "async copy";
    case AccessKind::kLoadMatrix:
      return "load matrix";
    case AccessKind::kStoreMatrix:
      return "store matrix";
  }
  return "";
}

std::string_view to_text(AccessSpace space) {
  switch (space) {
    case AccessSpace::kGeneric:
      return "generic";
    case AccessSpace::kGlobal:
      return "global";
    case AccessSpace::kShared:
      return "shared";
    case AccessSpace::kLocal:
      return "local";
  }
  return "";
}

std::optional<MemoryAccess> access_of(const ptx::Module& module, const ptx::Function& function,
                                      const ptx::Instruction& instruction) {
  const ptx::Spelling& spelling = module.spelling(instruction);
  switch (spelling.op()) {
    case Op::kLd:
    case Op::kLdu:
      if (is_constant(spelling)) return {};
      return plain(spelling, AccessKind::kLoad);
    case Op::kSt:
      if (is_constant(spelling)) return {};
      return plain(spelling, AccessKind::kStore);
    case Op::kAtom:
      return plain(spelling, AccessKind::kAtomic);
    case Op::kRed:
      return plain(spelling, AccessKind::kReduction);
    case Op::kLdmatrix:
      return MemoryAccess{.kind = AccessKind::kLoadMatrix, .space = AccessSpace::kShared};
    case Op::kStmatrix:
      return MemoryAccess{.kind = AccessKind::kStoreMatrix, .space = AccessSpace::kShared};
    case Op::kWmmaLoad:
      return MemoryAccess{
          .kind = AccessKind::kLoad, .space = space_of(spelling.space()), .is_wmma = true};
    case Op::kWmmaStore:
      return MemoryAccess{
          .kind = AccessKind::kStore, .space = space_of(spelling.space()), .is_wmma = true};
    case Op::kCpAsync: {
      MemoryAccess copy{.kind = AccessKind::kAsyncCopy, .space = AccessSpace::kGlobal};
      const auto operands = function.operands_of(instruction);
      if (operands.size() > 2 && operands[2].kind == ptx::OperandKind::kInteger)
        copy.width = static_cast<uint32_t>(operands[2].value);
      return copy;
    }
    default:
      return {};
  }
}

bool is_other_memory(const ptx::Spelling& spelling) {
  switch (spelling.op()) {
    case Op::kLd:
    case Op::kLdu:
    case Op::kSt:
      return spelling.space() == ptx::Space::kConst;
    case Op::kAtom:
    case Op::kRed:
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kWmmaLoad:
    case Op::kWmmaStore:
    case Op::kCpAsync:
      return false;
    default:
      break;
  }
  const MemoryKind kind = spelling.opcode().memory;
  return kind != MemoryKind::kNone && kind != MemoryKind::kFence;
}

std::optional<MemoryAccess> access_of(const Instruction& instruction) {
  const std::string base = instruction.base();
  const auto row = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                [&](const OpcodeRow& known) { return known.name == base; });
  if (row == std::end(kOpcodes)) return {};
  MemoryAccess access{.kind = row->kind, .space = row->space, .width = 4};
  if (row->kind == AccessKind::kLoadMatrix || row->kind == AccessKind::kStoreMatrix)
    access.width = 0;
  else if (instruction.has("256"))
    access.width = 32;
  else if (instruction.has("128"))
    access.width = 16;
  else if (instruction.has("64"))
    access.width = 8;
  else if (instruction.has("U16") || instruction.has("S16") || instruction.has("16"))
    access.width = 2;
  else if (instruction.has("U8") || instruction.has("S8") || instruction.has("8"))
    access.width = 1;
  return access;
}

bool is_unknown_memory(const Instruction& instruction) {
  if (access_of(instruction)) return false;
  const std::string base = instruction.base();
  if (std::find(std::begin(kElsewhere), std::end(kElsewhere), base) != std::end(kElsewhere))
    return false;
  constexpr std::array<std::string_view, 8> kPrefixes = {"LD",  "ST",  "ATOM",  "RED",
                                                         "ULD", "UST", "UATOM", "URED"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return base.starts_with(prefix); });
}

bool fits(const MemoryAccess& ptx, const MemoryAccess& sass) {
  if (!may_share_space(ptx, sass)) return false;
  const AccessKind made = sass.kind;
  switch (ptx.kind) {
    case AccessKind::kLoad:
      return made == AccessKind::kLoad || (ptx.is_wmma && made == AccessKind::kLoadMatrix);
    case AccessKind::kStore:
      return made == AccessKind::kStore || (ptx.is_wmma && made == AccessKind::kStoreMatrix);
    case AccessKind::kAtomic:
    case AccessKind::kReduction:
      // Through a generic address also a plain store: the way for local memory, a thread's own.
      return made == AccessKind::kAtomic || made == AccessKind::kReduction ||
             made == AccessKind::kLoad ||
             (made == AccessKind::kStore && ptx.space == AccessSpace::kGeneric);
    default:
      return made == ptx.kind;
  }
}

}  // namespace warpledger::sass
