#include "warpledger/sass/registers/shapes.h"

#include <algorithm>
#include <array>
#include <map>

#include "warpledger/sass/unit.h"

namespace warpledger::sass {
namespace {

using Names = std::map<std::string_view, Shape>;

const Names& names() {
  static const Names all = [] {
    Names made;
    const auto add = [&](Shape shape, std::initializer_list<std::string_view> opcodes) {
      for (const std::string_view opcode : opcodes) made[opcode] = shape;
    };
    add(Shape::kNoResult,
        {"BRA",       "BRX",           "BRXU",         "JMP",         "JMX",     "EXIT",
         "RET",       "KILL",          "BAR",          "NOP",         "MEMBAR",  "DEPBAR",
         "LDGDEPBAR", "LDGSTS",        "BSSY",         "BSYNC",       "BREAK",   "YIELD",
         "WARPSYNC",  "ERRBAR",        "CCTL",         "NANOSLEEP",   "BPT",     "CALL",
         "FENCE",     "R2B",           "PMTRIG",       "ARRIVES",     "PREEXIT", "ACQBULK",
         "CGAERRBAR", "UCGABAR_ARV",   "UCGABAR_WAIT", "WARPARRIVE",  "CCTLL",   "CCTLT",
         "MEMSET",    "ENDCOLLECTIVE", "COLLECTIVE",   "UTMACMDFLUSH"});
    add(Shape::kResult,
        {"IADD3",  "IADD",   "IMAD",    "LEA",       "LOP3",      "SHF",        "SHL",
         "SHR",    "MOV",    "SEL",     "FSEL",      "PRMT",      "IABS",       "BMSK",
         "SGXT",   "POPC",   "FLO",     "BREV",      "FADD",      "FMUL",       "FFMA",
         "FMNMX",  "IMNMX",  "VIMNMX",  "VIADD",     "MUFU",      "F2F",        "F2I",
         "I2F",    "FRND",   "I2FP",    "F2FP",      "HADD2",     "HMUL2",      "HFMA2",
         "HMNMX2", "HSET2",  "S2R",     "CS2R",      "S2UR",      "SHFL",       "MATCH",
         "IDP",    "I2I",    "F2IP",    "FSET",      "FSWZADD",   "MOVM",       "LEPC",
         "B2R",    "BMOV",   "R2UR",    "UMOV",      "UIADD3",    "UIMAD",      "ULEA",
         "ULOP3",  "USHF",   "USEL",    "UPRMT",     "USGXT",     "UBMSK",      "UFLO",
         "UPOPC",  "UBREV",  "REDUX",   "VABSDIFF",  "VABSDIFF4", "IADD3X",     "GETLMEMBASE",
         "ELECT",  "FMNMX3", "VIMNMX3", "VIADDMNMX", "LOP",       "BFE",        "UIADD3X",
         "USHL",   "USHR",   "UIABS",   "UVIADD",    "UVIMNMX",   "CREDUX",     "I2IP",
         "IMAD3",  "R2R",    "FADD2",   "FMUL2",     "FFMA2",     "UVIRTCOUNT", "UI2F",
         "UFADD",  "UFMUL",  "UFFMA",   "VHMNMX",    "FCVT"});
    add(Shape::kPredicates, {"ISETP", "FSETP", "HSETP2", "PLOP3", "UISETP", "UPLOP3", "PSETP",
                             "CSETP", "UFSETP", "UPSETP"});
    add(Shape::kPredicate, {"FCHK", "QSPC"});
    add(Shape::kVote, {"VOTE", "VOTEU"});
    add(Shape::kMaskResult, {"R2P", "UR2UP"});
    add(Shape::kMaskSource, {"P2R", "UP2UR"});
    add(Shape::kLoad, {"LDG", "LD", "LDS", "LDL", "LDC", "ULDC", "LDSM", "LDCU"});
    add(Shape::kStore, {"STG", "ST", "STS", "STL", "STSM", "STAS"});
    add(Shape::kAtomic, {"ATOM", "ATOMG", "ATOMS"});
    add(Shape::kReduction, {"RED", "REDG"});
    add(Shape::kMatrix, {"HMMA", "IMMA", "DMMA", "BMMA", "QMMA"});
    add(Shape::kDouble, {"DADD", "DMUL", "DFMA", "DMNMX", "IADD64"});
    add(Shape::kComparison, {"DSETP"});
    return made;
  }();
  return all;
}

/// By the modifiers of an access: ".128" are four registers.
size_t access_width(const Instruction& instruction) {
  if (instruction.has("256")) return 8;
  if (instruction.has("128")) return 4;
  return instruction.has("64") || instruction.has("F64") ? 2 : 1;
}

/// LDSM.16.M88.4: as many 8 x 8 matrices as registers.
size_t matrices(const Instruction& instruction) {
  return instruction.has("4") ? 4 : instruction.has("2") ? 2 : 1;
}

/// Registers of the fragments of D, A, B and C.
struct Fragments {
  std::string_view shape;
  std::array<size_t, 4> widths;
};
/// By shape, for 16-bit elements or those that the opcode has; sums of 32 bits.
constexpr Fragments kHalf[] = {{"16816", {4, 4, 2, 4}}, {"1688", {4, 2, 1, 4}}};
constexpr Fragments kTf32[] = {{"1688", {4, 4, 2, 4}}, {"1684", {4, 2, 1, 4}}};
constexpr Fragments kWhole[] = {{"8816", {2, 1, 1, 2}},   {"16816", {4, 2, 1, 4}},
                                {"16832", {4, 4, 2, 4}},  {"8832", {2, 1, 1, 2}},
                                {"16864", {4, 4, 2, 4}},  {"88128", {2, 1, 1, 2}},
                                {"168128", {4, 2, 1, 4}}, {"168256", {4, 4, 2, 4}}};
constexpr Fragments kFloat64[] = {{"884", {4, 2, 2, 4}},
                                  {"1684", {8, 4, 2, 8}},
                                  {"1688", {8, 8, 4, 8}},
                                  {"16816", {8, 16, 8, 8}}};

template <size_t kCount>
std::optional<std::array<size_t, 4>> find(const Instruction& instruction,
                                          const Fragments (&table)[kCount]) {
  for (const Fragments& row : table)
    if (instruction.has(row.shape)) return row.widths;
  return {};
}

/// 4-bit elements of the same shape take half the registers.
std::optional<std::array<size_t, 4>> whole_fragments(const Instruction& instruction) {
  auto widths = find(instruction, kWhole);
  const bool is_narrow = instruction.has("S4") || instruction.has("U4");
  if (widths && is_narrow && instruction.has("16832")) return std::array<size_t, 4>{4, 2, 1, 4};
  return widths;
}

std::optional<std::array<size_t, 4>> fragments(const Instruction& instruction) {
  const std::string base = instruction.base();
  if (instruction.has("SP")) return {};
  if (base == "DMMA") return find(instruction, kFloat64);
  if (base != "HMMA") return whole_fragments(instruction);
  if (instruction.has("TF32")) return find(instruction, kTf32);
  auto widths = find(instruction, kHalf);
  // HMMA.16816.F16: sums of 16 bits.
  if (widths && !instruction.has("F32")) (*widths)[0] = (*widths)[3] = 2;
  return widths;
}

bool is_long(const Instruction& instruction) {
  return instruction.has("S64") || instruction.has("U64");
}

/// F2F.F64.F32: the type of the result comes first.
bool begins_with_f64(const Instruction& instruction) {
  const size_t at = instruction.opcode.find(".F");
  return at != std::string::npos && instruction.opcode.compare(at, 4, ".F64") == 0;
}

size_t conversion_result(const Instruction& instruction, const std::string& base) {
  if (base == "F2I") return is_long(instruction) ? 2 : 1;
  if (base == "F2F") return begins_with_f64(instruction) ? 2 : 1;
  return instruction.has("F64") ? 2 : 1;  // I2F, FRND
}
size_t conversion_source(const Instruction& instruction, const std::string& base) {
  if (base == "I2F") return is_long(instruction) ? 2 : 1;
  if (base == "F2F") return instruction.has("F64") && !begins_with_f64(instruction) ? 2 : 1;
  return instruction.has("F64") ? 2 : 1;  // F2I, FRND
}
bool is_conversion(const std::string& base) { return is_any(base, {"F2F", "F2I", "I2F", "FRND"}); }

bool is_two_floats(const std::string& base) { return is_any(base, {"FADD2", "FMUL2", "FFMA2"}); }

}  // namespace

Shape shape_of(const Instruction& instruction) {
  const auto found = names().find(instruction.base());
  if (found == names().end()) return Shape::kUnknown;
  if (found->second == Shape::kMatrix && !fragments(instruction)) return Shape::kUnknown;
  return found->second;
}

size_t result_width(const Instruction& instruction, Shape shape) {
  const std::string base = instruction.base();
  if (is_any(base, {"LDSM"})) return matrices(instruction);
  if (shape == Shape::kLoad || shape == Shape::kAtomic) return access_width(instruction);
  if (shape == Shape::kMatrix) return (*fragments(instruction))[0];
  if (shape == Shape::kDouble || is_two_floats(base)) return 2;
  if (is_conversion(base)) return conversion_result(instruction, base);
  if (base == "CS2R") return instruction.has("32") ? 1 : 2;
  if (base == "LEPC" || base == "GETLMEMBASE") return 2;
  if (base == "MUFU") return 1;
  if (instruction.has("WIDE") || instruction.has("64")) return 2;
  return 1;
}

size_t source_width(const Instruction& instruction, Shape shape, size_t place) {
  const std::string base = instruction.base();
  if (base == "STSM") return matrices(instruction);
  switch (shape) {
    case Shape::kStore:
    case Shape::kAtomic:
    case Shape::kReduction:
      return access_width(instruction);
    case Shape::kMatrix:
      return place < 3 ? (*fragments(instruction))[place + 1] : 1;
    case Shape::kDouble:
    case Shape::kComparison:
      return 2;
    default:
      break;
  }
  if (is_two_floats(base)) return 2;
  if (is_conversion(base)) return conversion_source(instruction, base);
  if (is_any(base, {"BRX", "JMX", "RET", "BRXU"})) return 2;
  // The addend is of 64 bits: the upper half of a product is summed with it.
  const bool is_product = base == "IMAD" || base == "UIMAD";
  if (is_product && (instruction.has("WIDE") || instruction.has("HI"))) return place == 2 ? 2 : 1;
  if (base == "MATCH") return instruction.has("U64") ? 2 : 1;
  if (base == "MUFU" || base == "SHF" || base == "USHF") return 1;
  return instruction.has("64") ? 2 : 1;
}

}  // namespace warpledger::sass
