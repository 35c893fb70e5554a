#include "warpledger/exec/machine/sites.h"

#include "warpledger/exec/machine/memory.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using trace::Kind;
using trace::Space;

/// UTCHMMA, UTCQMMA, UTCIMMA, UTCOMMA
bool is_tensor_product(std::string_view opcode) {
  return opcode.starts_with("UTC") && opcode.ends_with("MMA");
}

std::optional<Kind> kind_of(const Instruction& instruction) {
  const std::string_view opcode = instruction.row->opcode;
  if (opcode == "LDGSTS") return Kind::kAsyncCopy;
  if (opcode == "UBLKCP" || opcode == "UTMALDG" || opcode == "UTMASTG") {
    const bool stores = opcode == "UTMASTG" || instruction.modifiers.list()[0] == M::kG;
    return stores ? Kind::kBulkStore : Kind::kBulkCopy;
  }
  if (opcode == "UBLKRED" || opcode == "UTMAREDG") return Kind::kBulkReduction;
  if (opcode.ends_with("GMMA") || is_tensor_product(opcode)) return Kind::kMatrixOperand;
  if (opcode == "UTCCP") return Kind::kTensorCopy;
  if (opcode == "LDTM") return Kind::kLoad;
  if (opcode == "STTM") return Kind::kStore;
  if (opcode == "LDSM") return Kind::kLoadMatrix;
  if (opcode == "STSM") return Kind::kStoreMatrix;
  if (opcode == "RED" || opcode == "REDG") return Kind::kReduction;
  if (opcode.starts_with("ATOM")) {
    const bool compares = instruction.has(M::kCAS) || instruction.has(M::kCAST);
    return compares ? Kind::kCompareSwap : Kind::kAtomic;
  }
  if (opcode == "LD" || opcode == "LDG" || opcode == "LDS" || opcode == "LDL" || opcode == "LDC")
    return Kind::kLoad;
  if (opcode == "ST" || opcode == "STG" || opcode == "STS" || opcode == "STL") return Kind::kStore;
  return {};
}

/// STRONG.GPU is what ptxas makes of .cg and of .relaxed.gpu: the L1 is passed by. STRONG.SYS is
/// what it makes of .cv and .volatile.
trace::CacheOperator cache_of(const Instruction& instruction) {
  if (instruction.has(M::kSTRONG) && instruction.has(M::kSYS))
    return trace::CacheOperator::kVolatile;
  if (instruction.has(M::kSTRONG) && instruction.has(M::kGPU)) return trace::CacheOperator::kGlobal;
  if (instruction.has(M::kBYPASS)) return trace::CacheOperator::kGlobal;
  if (instruction.has(M::kEF)) return trace::CacheOperator::kStream;
  if (instruction.has(M::kLU)) return trace::CacheOperator::kLastUse;
  return instruction.has(M::kNA) ? trace::CacheOperator::kNoAllocate
                                 : trace::CacheOperator::kDefault;
}

bool is_update(Kind kind) {
  return trace::effect_of(Space::kGlobal, kind) == trace::Effect::kUpdate;
}

bool is_floating(const Instruction& instruction) {
  return instruction.has(M::kF32) || instruction.has(M::kF64) || instruction.has(M::kF16x2) ||
         instruction.has(M::kBF16V2) || instruction.has(M::kF16) || instruction.has(M::kBF16);
}

uint8_t bytes_of(const Instruction& instruction, Kind kind) {
  if (kind == Kind::kLoadMatrix || kind == Kind::kStoreMatrix || kind == Kind::kMatrixOperand ||
      trace::is_bulk(kind))
    return 16;
  if (is_update(kind)) return static_cast<uint8_t>(update_width(instruction));
  return static_cast<uint8_t>(width_of(instruction));
}

/// The sites of what touches tensor memory, in the order of the PTX engine's (async/traffic.h);
/// none of others.
std::vector<std::pair<Space, Kind>> tensor_sites(const Instruction& instruction, Kind kind) {
  const std::string_view opcode = instruction.row->opcode;
  if (opcode == "LDTM" || opcode == "STTM") return {{Space::kTensor, kind}};
  if (opcode == "UTCCP") return {{Space::kShared, kind}, {Space::kTensor, kind}};
  if (!is_tensor_product(opcode)) return {};
  const bool a_is_shared = instruction.operands[0].kind == OperandKind::kUniform;
  return {{a_is_shared ? Space::kShared : Space::kTensor, kind},
          {Space::kShared, kind},
          {Space::kTensor, Kind::kMatrixAddend},
          {Space::kTensor, Kind::kMatrixResult}};
}

/// The spaces that the instruction's sites are in, in their order.
std::vector<Space> spaces_of(const Instruction& instruction, Kind kind) {
  if (kind == Kind::kAsyncCopy || trace::is_bulk(kind)) return {Space::kGlobal, Space::kShared};
  if (kind == Kind::kMatrixOperand) {
    const bool a_in_registers = instruction.operands[1].kind == OperandKind::kRegister;
    return std::vector<Space>(a_in_registers ? 1 : 2, Space::kShared);
  }
  switch (instruction.row->memory) {
    case MemoryClass::kShared:
      return {Space::kShared};
    case MemoryClass::kLocal:
      return {Space::kLocal};
    case MemoryClass::kConstant:
      return {Space::kConstant};
    default:
      break;
  }
  const std::string_view opcode = instruction.row->opcode;
  const bool is_generic = opcode == "LD" || opcode == "ST" || opcode == "ATOM";
  return is_generic ? std::vector{Space::kGlobal, Space::kShared, Space::kLocal}
                    : std::vector{Space::kGlobal};
}

/// Whether what an instruction does to global memory may depend on when other CTAs run.
bool shows_order(const Instruction& instruction) {
  const std::string_view opcode = instruction.row->opcode;
  if (opcode == "ATOM" || opcode == "ATOMG" || opcode == "UTMAREDG") return true;
  if (opcode == "UBLKRED") return instruction.modifiers.list()[0] == M::kG;
  if (opcode == "RED" || opcode == "REDG")
    return is_floating(instruction) || instruction.has(M::kINC) || instruction.has(M::kDEC);
  const bool loads = opcode == "LD" || opcode == "LDG";
  return loads && instruction.has(M::kSTRONG) && !instruction.has(M::kCTA);
}

}  // namespace

trace::Sites plan_sites(Program& program) {
  trace::Sites sites;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    Instruction& instruction = program.instructions[i];
    const auto kind = instruction.row == nullptr ? std::optional<Kind>() : kind_of(instruction);
    if (!kind) continue;
    instruction.site = static_cast<uint32_t>(sites.size());
    for (const auto& [space, part] : tensor_sites(instruction, *kind)) {
      const uint8_t width = space == Space::kTensor ? 4 : 16;
      sites.push_back({.instruction = i, .space = space, .kind = part, .width = width});
    }
    if (sites.size() != instruction.site) continue;
    for (const Space space : spaces_of(instruction, *kind)) {
      sites.push_back({.instruction = i,
                       .space = space,
                       .kind = *kind,
                       .cache = cache_of(instruction),
                       .width = bytes_of(instruction, *kind),
                       .floating = is_update(*kind) && is_floating(instruction),
                       .strong = is_update(*kind) || instruction.has(M::kSTRONG)});
    }
  }
  return sites;
}

bool may_communicate(const Program& program) {
  for (const Instruction& instruction : program.instructions) {
    if (instruction.row == nullptr) continue;
    if (shows_order(instruction)) return true;
    for (const Operand& operand : instruction.operands) {
      const bool tells = operand.text.find("CLOCK") != std::string::npos ||
                         operand.text.find("VIRTUALSMID") != std::string::npos ||
                         operand.text.find("GLOBALTIMER") != std::string::npos;
      if (operand.kind == OperandKind::kSpecial && tells) return true;
    }
  }
  return false;
}

}  // namespace warpledger::exec::machine
