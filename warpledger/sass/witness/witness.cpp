#include "warpledger/sass/witness/witness.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/sass/witness/blocks.h"
#include "warpledger/sass/witness/classify.h"
#include "warpledger/sass/witness/fate.h"
#include "warpledger/sass/witness/merge.h"

namespace warpledger::sass {
namespace {

uint32_t function_index(const ptx::Module& module, std::string_view name) {
  const ptx::Function* found = module.find(name);
  return found == nullptr ? Place::kCompilerMade
                          : static_cast<uint32_t>(found - module.functions.data());
}

void describe(const CubinFunction& symbol, KernelWitness& kernel) {
  kernel.name = symbol.name;
  kernel.is_entry = symbol.is_entry;
  kernel.registers = symbol.registers;
  kernel.frame_bytes = symbol.frame_bytes;
  kernel.min_stack_bytes = symbol.min_stack_bytes;
  kernel.static_shared_bytes = symbol.static_shared_bytes;
}

/// The functions of a section and where in its code each one starts.
void place_functions(const Cubin& cubin, uint16_t section, KernelWitness& kernel) {
  for (const CubinFunction& symbol : cubin.functions) {
    if (symbol.section != section) continue;
    const auto first = std::lower_bound(
        kernel.code.begin(), kernel.code.end(), symbol.offset,
        [](const Instruction& at, uint64_t offset) { return at.address < offset; });
    const auto index = static_cast<uint32_t>(first - kernel.code.begin());
    if (!kernel.functions.empty()) kernel.functions.back().end = index;
    kernel.functions.push_back({.name = std::string(symbol.name),
                                .first = index,
                                .end = static_cast<uint32_t>(kernel.code.size()),
                                .is_entry = symbol.is_entry});
  }
}

void find_accesses(const ptx::Module& module, const std::vector<PtxSide>& sides,
                   KernelWitness& kernel) {
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    if (is_unknown_memory(kernel.code[i])) kernel.unknown_opcodes.push_back(i);
    const auto access = access_of(kernel.code[i]);
    if (!access) continue;
    kernel.accesses.push_back({.index = i,
                               .access = *access,
                               .access_class = classify(module, sides, kernel, i, *access),
                               .place = kernel.places[i]});
  }
}

void sum_spills(KernelWitness& kernel) {
  for (SassFunction& function : kernel.functions) {
    for (const SassAccess& access : kernel.accesses) {
      if (access.index < function.first || access.index >= function.end) continue;
      const bool is_store = access.access.kind == AccessKind::kStore;
      if (access.access_class == AccessClass::kSpill)
        (is_store ? function.spill_store_bytes : function.spill_load_bytes) += access.access.width;
      if (access.access_class == AccessClass::kCalleeSave)
        (is_store ? function.save_store_bytes : function.save_load_bytes) += access.access.width;
    }
  }
}

}  // namespace

std::string_view to_text(AccessClass access_class) {
  switch (access_class) {
    case AccessClass::kFiller:
      return "filler";
    case AccessClass::kKept:
      return "kept";
    case AccessClass::kSpill:
      return "spill";
    case AccessClass::kCalleeSave:
      return "callee save";
    case AccessClass::kExpansion:
      return "expansion";
    case AccessClass::kSunk:
      return "sunk";
    case AccessClass::kMismapped:
      return "mis-mapped";
  }
  return "";
}

std::string_view to_text(MergeRule rule) {
  switch (rule) {
    case MergeRule::kNone:
      return "";
    case MergeRule::kSameBlock:
      return "M1 same block";
    case MergeRule::kAcrossBlocks:
      return "M2 across blocks";
    case MergeRule::kWithHole:
      return "M3 with a hole";
    case MergeRule::kOtherVariable:
      return "M4 other variable";
    case MergeRule::kOwnCopies:
      return "M5 own copies";
    case MergeRule::kUnexplained:
      return "unexplained";
  }
  return "";
}

std::string_view to_text(FateKind kind) {
  switch (kind) {
    case FateKind::kKept:
      return "kept";
    case FateKind::kDuplicated:
      return "duplicated";
    case FateKind::kWidened:
      return "widened";
    case FateKind::kMerged:
      return "merged";
    case FateKind::kSunk:
      return "sunk";
    case FateKind::kDropped:
      return "dropped";
    case FateKind::kElsewhere:
      return "elsewhere";
  }
  return "";
}

std::string_view to_text(DropReason reason) {
  switch (reason) {
    case DropReason::kNone:
      return "";
    case DropReason::kPromoted:
      return "local, assumed to be in registers";
    case DropReason::kSameAddress:
      return "same address as another access";
    case DropReason::kUnusedValue:
      return "the value is never read";
    case DropReason::kBlockGone:
      return "its block has no code";
    case DropReason::kUnexplained:
      return "unexplained";
  }
  return "";
}

const KernelWitness* Witness::find(std::string_view name) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [name](const KernelWitness& k) { return k.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

Result<Witness> witness(const Assembly& assembly) {
  const Cubin& cubin = assembly.binary.cubin;
  if (!cubin.has_ptx_lines)
    return Diagnostic{.message = "the machine code has no table of PTX lines",
                      .hint = "it comes from `ptxas -lineinfo` of CUDA 11.2 or later",
                      .code = "no-ptx-lines"};
  const ptx::Module& module = assembly.module;
  const std::vector<Place> lines = places_of_lines(module);
  std::vector<PtxSide> sides;
  for (const ptx::Function& function : module.functions)
    sides.push_back(ptx_side(module, function));
  Witness result{.arch = assembly.arch, .ptxas = assembly.ptxas, .kernels = {}};
  for (const auto& [section, code] : assembly.binary.code) {
    KernelWitness kernel;
    kernel.code = code;
    place_functions(cubin, section, kernel);
    if (kernel.functions.empty()) continue;
    const CubinFunction& symbol = *cubin.find(kernel.functions.front().name);
    describe(symbol, kernel);
    kernel.function = function_index(module, kernel.name);
    for (const Instruction& instruction : code) {
      const uint32_t line = line_at(cubin.ptx_lines, section, instruction.address).line;
      kernel.places.push_back(line < lines.size() ? lines[line] : Place{});
    }
    kernel.blocks = build_blocks(code, kernel.functions, symbol.indirect_targets);
    find_accesses(module, sides, kernel);
    pair_callee_saves(kernel);
    explain_widened(sides, kernel);
    pair_sunk_stores(sides, kernel);
    sum_spills(kernel);
    tell_fates(module, sides, kernel);
    result.kernels.push_back(std::move(kernel));
  }
  std::stable_sort(
      result.kernels.begin(), result.kernels.end(),
      [](const KernelWitness& a, const KernelWitness& b) { return a.function < b.function; });
  return result;
}

Result<Witness> witness(const ptx::Module& module, const std::string& arch) {
  WL_TRY(const std::shared_ptr<const Assembly> assembly, assemble(module, arch));
  return witness(*assembly);
}

}  // namespace warpledger::sass
