#include "warpledger/sass/registers/operands.h"

#include <algorithm>
#include <cctype>

#include "warpledger/sass/registers/shapes.h"
#include "warpledger/sass/unit.h"

namespace warpledger::sass {
namespace {

/// A register as an operand names it.
struct Mention {
  Register which;
  bool is_constant = false;  // RZ, PT: holds no value
  bool is_pair = false;      // R2.64
  bool is_single = false;    // R2.U32
  size_t at = 0;             // where it stands in the operand
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "R12", "URZ", "UP0", "PT"; nothing for any other word.
std::optional<Mention> read_word(std::string_view word) {
  const bool is_uniform = word.starts_with('U');
  if (is_uniform) word.remove_prefix(1);
  if (word.size() < 2 || (word[0] != 'R' && word[0] != 'P')) return {};
  const bool is_predicate = word[0] == 'P';
  Mention made;
  made.which.file = is_predicate
                        ? (is_uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate)
                        : (is_uniform ? RegisterFile::kUniform : RegisterFile::kGeneral);
  word.remove_prefix(1);
  made.is_constant = word == (is_predicate ? "T" : "Z");
  if (made.is_constant) return made;
  uint32_t number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9' || number > 255) return {};
    number = 10 * number + static_cast<uint32_t>(c - '0');
  }
  made.which.number = static_cast<uint16_t>(number);
  return made;
}

/// Every register of an operand, in order.
std::vector<Mention> mentions_of(std::string_view operand) {
  std::vector<Mention> found;
  if (operand.find('`') != std::string_view::npos) return found;  // a label
  for (size_t at = 0; at < operand.size();) {
    size_t end = at;
    while (end < operand.size() && is_word(operand[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    const bool is_suffix = at > 0 && operand[at - 1] == '.';
    if (auto mention = is_suffix ? std::nullopt : read_word(operand.substr(at, end - at))) {
      const std::string_view rest = operand.substr(end);
      mention->is_pair = rest.starts_with(".64");
      mention->is_single = rest.starts_with(".U32");
      mention->at = at;
      found.push_back(*mention);
    }
    at = end;
  }
  return found;
}

bool is_predicate(const Register& which) {
  return which.file == RegisterFile::kPredicate || which.file == RegisterFile::kUniformPredicate;
}

/// A predicate that may be a result: "P0", "PT", not "!P0".
bool is_plain_predicate(const std::string& operand) {
  const auto word = read_word(operand);
  return word && is_predicate(word->which);
}

bool is_plain_register(const std::string& operand) {
  const auto mentions = mentions_of(operand);
  return mentions.size() == 1 && !is_predicate(mentions[0].which) &&
         operand.find('[') == std::string::npos;
}

void add(const Mention& mention, size_t width, std::vector<Register>& to) {
  if (mention.is_constant) return;
  for (size_t i = 0; i < (is_predicate(mention.which) ? 1 : width); ++i) {
    Register one = mention.which;
    one.number = static_cast<uint16_t>(one.number + i);
    to.push_back(one);
  }
}

/// Global memory is addressed with 64 bits; "E" says so.
bool is_far(const Instruction& instruction) { return instruction.has("E"); }

/// The registers of "[R2.64+UR4+0x10]", "desc[UR4][R2.64]", "c[0x0][R3]", "cx[UR4][0x8]",
/// "gdesc[UR4]".
void add_address(const Instruction& instruction, const std::string& operand,
                 std::vector<Register>& to) {
  const bool is_constant = operand.starts_with("c[") || operand.starts_with("cx[");
  const bool has_pair = operand.find(".64") != std::string::npos;
  const size_t second = operand.find("][");
  // "LDGSTS [R23], [R6.64]" or, in JSON, "[R23][R6.64]": the first address is of shared memory.
  const bool copies = instruction.base() == "LDGSTS" && operand.starts_with('[') &&
                      operand == instruction.operands.front();
  for (const Mention& mention : mentions_of(operand)) {
    const bool is_uniform = mention.which.file == RegisterFile::kUniform;
    const bool describes = operand.find("desc[") != std::string::npos && mention.at < second;
    size_t width = 1;
    if (operand.starts_with("gdesc[")) {
      width = 4;
    } else if (describes || (operand.starts_with("cx[") && mention.at < second)) {
      width = 2;
    } else if (!is_constant && is_far(instruction) && !(copies && mention.at < second)) {
      const bool is_whole = is_uniform || mention.is_pair || !has_pair;
      width = is_whole && !mention.is_single ? 2 : 1;
    }
    add(mention, width, to);
  }
}

bool is_address(const std::string& operand) { return operand.find('[') != std::string::npos; }

/// How many operands at the beginning are results.
size_t results_of(const Instruction& instruction, Shape shape) {
  const std::vector<std::string>& operands = instruction.operands;
  const auto predicates_from = [&](size_t at) {
    while (at < operands.size() && is_plain_predicate(operands[at])) ++at;
    return at;
  };
  switch (shape) {
    case Shape::kNoResult:
    case Shape::kStore:
    case Shape::kReduction:
    case Shape::kUnknown:
      return 0;
    case Shape::kPredicates:
    case Shape::kComparison:
      return std::min<size_t>(2, operands.size());
    case Shape::kPredicate:
      return std::min<size_t>(1, operands.size());
    case Shape::kMaskResult:
      return !operands.empty() && !is_plain_register(operands.front()) ? 1 : 0;
    case Shape::kVote:
      return operands.empty() ? 0 : operands.size() - 1;
    default:
      break;
  }
  const size_t before = predicates_from(0);
  if (before >= operands.size() || !is_plain_register(operands[before])) return before;
  const bool may_carry =
      is_any(instruction.base(), {"IADD3", "UIADD3", "LEA", "ULEA", "IMAD", "UIMAD", "IADD", "B2R",
                                  "IADD3X", "DMNMX", "IADD64", "ELECT"});
  return may_carry ? predicates_from(before + 1) : before + 1;
}

/// R2P and P2R move the predicates of a mask.
void add_masked(const Instruction& instruction, std::vector<Register>& to) {
  const uint64_t mask =
      instruction.operands.empty() ? 0 : read_address(instruction.operands.back()).value_or(0x7f);
  const RegisterFile file = instruction.base().starts_with('U') ? RegisterFile::kUniformPredicate
                                                                : RegisterFile::kPredicate;
  for (uint16_t i = 0; i < 7; ++i)
    if (mask >> i & 1) to.push_back({file, i});
}

void add_source(const Instruction& instruction, Shape shape, size_t at, size_t place,
                std::vector<Register>& reads) {
  const std::string& operand = instruction.operands[at];
  if (is_address(operand)) {
    return add_address(instruction, operand, reads);
  }
  const size_t width = source_width(instruction, shape, place);
  for (const Mention& mention : mentions_of(operand)) {
    // "R4.64" says itself how wide it is.
    add(mention, mention.is_pair ? std::max<size_t>(2, width) : width, reads);
  }
}

/// Names of functions are no registers, whatever they look like.
size_t operands_before_names(const Instruction& instruction) {
  if (instruction.base() == "CALL") return 0;  // a call by register leads to where nothing tells
  return instruction.base() == "RET" ? 1 : SIZE_MAX;
}

void tidy(std::vector<Register>& registers) {
  std::sort(registers.begin(), registers.end());
  registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
}

}  // namespace

std::string to_text(const Register& which) {
  constexpr const char* kNames[] = {"R", "P", "UR", "UP"};
  return kNames[static_cast<size_t>(which.file)] + std::to_string(which.number);
}

std::optional<RegisterUse> registers_of(const Instruction& instruction) {
  const Shape shape = shape_of(instruction);
  if (shape == Shape::kUnknown) return {};
  RegisterUse use;
  // JSON lists the PR of "P2R R0, PR, RZ, 0x7f" as a guard.
  use.is_guarded = instruction.predicate.starts_with('@') && instruction.predicate != "@PT";
  if (use.is_guarded)
    for (const Mention& mention : mentions_of(instruction.predicate)) add(mention, 1, use.reads);
  const size_t results = results_of(instruction, shape);
  const size_t width = result_width(instruction, shape);
  for (size_t i = 0; i < results; ++i)
    for (const Mention& mention : mentions_of(instruction.operands[i]))
      add(mention, width, use.writes);
  if (shape == Shape::kMaskResult) add_masked(instruction, use.writes);
  if (shape == Shape::kMaskSource) add_masked(instruction, use.reads);
  const size_t end = std::min(instruction.operands.size(), operands_before_names(instruction));
  for (size_t i = results; i < end; ++i) add_source(instruction, shape, i, i - results, use.reads);
  tidy(use.reads);
  tidy(use.writes);
  return use;
}

}  // namespace warpledger::sass
