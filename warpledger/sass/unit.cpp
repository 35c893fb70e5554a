#include "warpledger/sass/unit.h"

#include <algorithm>

namespace warpledger::sass {
namespace {

template <size_t kCount>
bool is_one_of(std::string_view name, const std::string_view (&names)[kCount]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

constexpr std::string_view kAlu[] = {
    "IADD3",  "LOP3",  "ISETP", "SHF",   "LEA",    "PRMT",   "SEL",    "FSEL", "FSETP",
    "FMNMX",  "IMNMX", "MOV",   "PLOP3", "IABS",   "BMSK",   "SGXT",   "P2R",  "R2P",
    "VOTE",   "CS2R",  "I2FP",  "VIADD", "IADD",   "LOP",    "VIMNMX", "F2FP", "VABSDIFF",
    "IADD64", "SHL",   "SHR",   "BFE",   "FMNMX3", "VIMNMX3"};
constexpr std::string_view kFma[] = {"FFMA",  "FMUL",  "FADD",   "FSWZADD", "HFMA2",
                                     "HADD2", "HMUL2", "HSETP2", "HMNMX2",  "FFMA2"};
constexpr std::string_view kXu[] = {"MUFU", "F2I",  "I2F",  "F2F",  "POPC",
                                    "FLO",  "BREV", "FRND", "FCHK", "I2I"};
constexpr std::string_view kFp64[] = {"DFMA", "DADD", "DMUL", "DSETP", "DMNMX"};
constexpr std::string_view kTensor[] = {"HMMA", "IMMA",  "DMMA",  "BMMA",
                                        "QMMA", "HGMMA", "IGMMA", "QGMMA"};
constexpr std::string_view kMemory[] = {"LDG",   "LD",    "STG",  "ST",   "LDS",    "STS",
                                        "LDL",   "STL",   "LDSM", "STSM", "LDGSTS", "ATOM",
                                        "ATOMG", "ATOMS", "RED",  "REDG"};
}  // namespace

bool is_any(std::string_view base, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), base) != names.end();
}

uint64_t tensor_work(const Instruction& instruction) {
  constexpr std::pair<std::string_view, uint64_t> kShapes[] = {
      {"884", 8 * 8 * 4},     {"1684", 16 * 8 * 4},    {"1688", 16 * 8 * 8},
      {"8816", 8 * 8 * 16},   {"8832", 8 * 8 * 32},    {"16816", 16 * 8 * 16},
      {"16832", 16 * 8 * 32}, {"16864", 16 * 8 * 64},  {"168128", 16 * 8 * 128},
      {"88128", 8 * 8 * 128}, {"168256", 16 * 8 * 256}};
  uint64_t work = 16 * 8 * 16;
  for (const auto& [shape, size] : kShapes) {
    if (instruction.has(shape)) work = size;
  }
  const std::string base = instruction.base();
  if (base.find("GMMA") != std::string::npos) return 0;
  if (base == "DMMA") return work * 16;  // 64 a clock where FP16 has 1,024
  if (base == "BMMA") return work / 16;
  if (instruction.has("TF32")) return work * 2;
  if (base == "IMMA" || base == "QMMA") return work / 2;
  return work;
}

bool passes_lsu_without_memory(const Instruction& instruction) {
  if (instruction.base() == "SHFL") return true;
  if (instruction.base() != "S2R") return false;
  return std::none_of(instruction.operands.begin(), instruction.operands.end(),
                      [](const std::string& operand) { return operand.starts_with("SR_CTAID"); });
}

Unit unit_of(const Instruction& instruction) {
  const std::string base = instruction.base();
  if (is_one_of(base, kMemory) || passes_lsu_without_memory(instruction)) return Unit::kLsu;
  if (is_one_of(base, kFp64)) return Unit::kFp64;
  if (is_one_of(base, kAlu)) return Unit::kAlu;
  if (is_one_of(base, kFma)) return Unit::kFma;
  if (base == "IMAD") {
    const bool is_wide = instruction.has("WIDE") || instruction.has("HI");
    return is_wide ? Unit::kWideMultiply : Unit::kMultiply;
  }
  if (is_one_of(base, kXu)) return Unit::kXu;
  if (is_one_of(base, kTensor)) return Unit::kTensor;
  if (base == "BAR") return Unit::kBarrier;
  const bool is_uniform = base.starts_with('U') || base == "S2UR" || base == "R2UR";
  return is_uniform ? Unit::kUniform : Unit::kNone;
}

}  // namespace warpledger::sass
