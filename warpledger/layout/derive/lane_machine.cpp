#include "warpledger/layout/derive/lane_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "warpledger/layout/derive/operand.h"

namespace warpledger::derive {
namespace {

constexpr int kLanes = 32;
constexpr uint32_t kMatrix = 0x10000000, kDump = 0x20000000;  // both below 2^32: high words are 0
constexpr Byte kToken = 256;
constexpr int64_t kMaxTraced = 1 << 20;  // bytes: the matrix and the dump are far smaller

/// Thrown nowhere: the machine stops by keeping the first fault.
class Machine {
 public:
  explicit Machine(int parameter_offset) : parameters_(parameter_offset) {
    for (auto& lane : registers_) lane.fill(Word{});
  }

  Status run(const sass::Function& function) {
    for (const sass::Instruction& instruction : function.instructions) {
      if (instruction.predicate == "@!PT") continue;
      if (instruction.opcode == "EXIT") return {};
      if (!step(instruction)) {
        return Diagnostic{
            .message = fmt::format("{}: cannot follow '{} {}'", function.name, instruction.opcode,
                                   fmt::join(instruction.operands, ", ")),
            .hint = "this compiler lowers the load in a way the tracer does not know yet",
            .code = "cannot-derive"};
      }
    }
    return {};
  }
  [[nodiscard]] const Dump& dump() const { return dump_; }

 private:
  bool step(const sass::Instruction& in);
  bool integer(const sass::Instruction& in, const std::vector<std::string>& args, int lane);
  bool bytes(const sass::Instruction& in, const std::vector<std::string>& args, int lane);
  bool load_constant(const sass::Instruction& in, const std::vector<std::string>& args);
  bool memory(const sass::Instruction& in, const std::vector<std::string>& args);
  bool transpose(const std::vector<std::string>& args);

  [[nodiscard]] uint32_t constant(int offset) const {
    if (offset == parameters_) return kMatrix;
    return offset == parameters_ + 8 ? kDump : 0;
  }
  [[nodiscard]] Word word(int lane, const std::string& operand) const;
  [[nodiscard]] std::optional<uint32_t> number(int lane, const std::string& operand) const;
  bool write(int lane, const std::string& operand, const Word& value);
  bool write(int lane, const std::string& operand, std::optional<uint64_t> value);

  // A vector may start at the last register; registers above 254 are never read.
  std::array<std::array<Word, 260>, kLanes> registers_;
  std::array<uint32_t, 260> uniform_ = {};
  Dump dump_;
  int parameters_;
};

Word to_word(uint32_t value) {
  return {static_cast<Byte>(value & 255), static_cast<Byte>(value >> 8 & 255),
          static_cast<Byte>(value >> 16 & 255), static_cast<Byte>(value >> 24)};
}

/// How many operands, predicates aside, an instruction must have to be followed.
size_t operands_of(const sass::Instruction& in) {
  static const std::map<std::string, size_t> counts = {
      {"MOV", 2},   {"IMAD", 4}, {"PRMT", 4}, {"LEA", 4},   {"S2R", 2},  {"LDC", 2},
      {"LDCU", 2},  {"ULDC", 2}, {"LDG", 2},  {"STG", 2},   {"MOVM", 2}, {"HFMA2", 5},
      {"IADD3", 4}, {"LOP3", 5}, {"SHF", 4},  {"VIADD", 3}, {"IADD", 3}};
  const auto found = counts.find(in.base());
  return found == counts.end() ? 1 : found->second;
}

Word Machine::word(int lane, const std::string& operand) const {
  if (is_register(operand)) {
    const int number_of = register_number(operand);
    return number_of == 255 ? Word{}
                            : registers_[static_cast<size_t>(lane)][static_cast<size_t>(number_of)];
  }
  if (is_uniform(operand)) {
    const int number_of = register_number(operand);
    return to_word(number_of == 255 ? 0 : uniform_[static_cast<size_t>(number_of)]);
  }
  if (operand.starts_with("c[")) return to_word(constant(bank_offset(operand)));
  return to_word(static_cast<uint32_t>(std::strtoll(operand.c_str(), nullptr, 0)));
}

std::optional<uint32_t> Machine::number(int lane, const std::string& operand) const {
  if (operand.starts_with("-") && operand.size() > 1 && !std::isdigit(operand[1])) {
    const auto positive = number(lane, operand.substr(1));
    if (!positive) return std::nullopt;
    return ~*positive + 1;
  }
  uint32_t value = 0;
  const Word parts = word(lane, operand);
  for (size_t b = 4; b-- > 0;) {
    if (parts[b] >= kToken) return std::nullopt;
    value = value << 8 | static_cast<uint32_t>(parts[b]);
  }
  return value;
}

bool Machine::write(int lane, const std::string& operand, const Word& value) {
  const int to = register_number(operand);
  if (to != 255) registers_[static_cast<size_t>(lane)][static_cast<size_t>(to)] = value;
  return true;
}

bool Machine::write(int lane, const std::string& operand, std::optional<uint64_t> value) {
  return value && write(lane, operand, to_word(static_cast<uint32_t>(*value)));
}

bool Machine::step(const sass::Instruction& in) {
  const std::string base = in.base();
  if (base == "NOP" || base == "BRA" || !in.predicate.empty()) return in.predicate.empty();
  std::vector<std::string> args;
  for (const std::string& operand : in.operands) {
    if (is_predicate(operand)) continue;  // carries: all addresses lie below 2^32
    args.push_back(operand.substr(0, operand.find(".reuse")));
  }
  if (args.size() < operands_of(in)) return false;
  if (base == "LDCU" || base == "ULDC" || base == "LDC") return load_constant(in, args);
  if (base == "LDG" || base == "STG") return memory(in, args);
  if (base == "MOVM") return transpose(args);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!bytes(in, args, lane) && !integer(in, args, lane)) return false;
  }
  return true;
}

bool Machine::load_constant(const sass::Instruction& in, const std::vector<std::string>& args) {
  const int words = in.has("128") ? 4 : in.has("64") ? 2 : 1;
  const int to = register_number(args[0]);
  for (int w = 0; w < words; ++w) {
    const uint32_t value = constant(bank_offset(args[1]) + 4 * w);
    if (is_uniform(args[0])) {
      uniform_[static_cast<size_t>(to + w)] = value;
      continue;
    }
    for (auto& lane : registers_) lane[static_cast<size_t>(to + w)] = to_word(value);
  }
  return true;
}

/// Operations that carry bytes unchanged, tokens included.
bool Machine::bytes(const sass::Instruction& in, const std::vector<std::string>& args, int lane) {
  const std::string base = in.base();
  if (base == "MOV" && args.size() >= 2) return write(lane, args[0], word(lane, args[1]));
  if (in.opcode == "IMAD.MOV.U32") return write(lane, args[0], word(lane, args[3]));
  if (base == "PRMT") {
    const auto selector = number(lane, args[2]);
    const Word low = word(lane, args[1]), high = word(lane, args[3]);
    Word result;
    for (size_t b = 0; selector && b < 4; ++b) {
      const size_t source = *selector >> 4 * b & 7;
      result[b] = source < 4 ? low[source] : high[source - 4];
    }
    return selector && write(lane, args[0], result);
  }
  // x * 2^(8s) + y (and LEA's x << 8s + y) where no byte of the two overlaps joins their bytes.
  const bool multiply = base == "IMAD" && !in.has("WIDE") && !in.has("X");
  if (!multiply && in.opcode != "LEA") return false;
  if (number(lane, args[1]) && number(lane, args[multiply ? 3 : 2])) return false;
  const auto factor = number(lane, args[multiply ? 2 : 3]);
  if (!factor) return false;
  const size_t shift = multiply ? (*factor == 1           ? 0
                                   : *factor == 0x100     ? 1
                                   : *factor == 0x10000   ? 2
                                   : *factor == 0x1000000 ? 3
                                                          : 4)
                                : *factor / 8;
  const Word x = word(lane, args[1]), y = word(lane, args[multiply ? 3 : 2]);
  Word result = y;
  for (size_t b = shift; b < 4; ++b) {
    if (x[b - shift] != 0 && result[b] != 0) return false;
    if (result[b] == 0) result[b] = x[b - shift];
  }
  return shift < 4 && write(lane, args[0], result);
}

bool Machine::integer(const sass::Instruction& in, const std::vector<std::string>& args, int lane) {
  const std::string base = in.base();
  const auto value = [&](size_t a) -> std::optional<uint64_t> {
    return a < args.size() ? number(lane, args[a]) : std::nullopt;
  };
  if (base == "S2R") {
    const bool is_lane = args[1] == "SR_LANEID" || args[1] == "SR_TID.X";
    return write(lane, args[0], uint64_t{is_lane ? static_cast<uint64_t>(lane) : 0});
  }
  if (base == "HFMA2") {
    return write(lane, args[0], uint64_t{half_bits(args[3]) << 16 | half_bits(args[4])});
  }
  if (in.has("X")) return write(lane, args[0], uint64_t{0});  // a high word
  const auto a = value(1), b = value(2), c = value(3);
  if (!a || !b) return false;
  if (base == "VIADD" || in.opcode == "IADD.64") {
    const std::string high = fmt::format("R{}", register_number(args[0]) + 1);
    return write(lane, args[0], *a + *b) && (base == "VIADD" || write(lane, high, uint64_t{0}));
  }
  if (!c) return false;
  if (base == "IMAD" && in.has("WIDE")) {
    const std::string high = fmt::format("R{}", register_number(args[0]) + 1);
    return write(lane, args[0], *a * *b + *c) && write(lane, high, uint64_t{0});
  }
  if (base == "IMAD") return write(lane, args[0], *a * *b + *c);
  if (base == "IADD3") return write(lane, args[0], *a + *b + *c);
  if (in.opcode == "LEA") return write(lane, args[0], (*a << (*c & 31)) + *b);
  if (in.opcode == "SHF.R.U32.HI") return write(lane, args[0], *c >> (*b & 31));
  if (in.opcode == "SHF.L.U32") return write(lane, args[0], *a << (*b & 31));
  if (base != "LOP3") return false;
  const auto table = value(4);
  uint32_t result = 0;
  for (uint32_t row = 0; table && row < 8; ++row) {
    if (!(*table >> row & 1)) continue;
    const auto side = [&](uint64_t x, uint32_t bit) {
      return static_cast<uint32_t>(row & bit ? x : ~x);
    };
    result |= side(*a, 4) & side(*b, 2) & side(*c, 1);
  }
  return table && write(lane, args[0], uint64_t{result});
}

bool Machine::memory(const sass::Instruction& in, const std::vector<std::string>& args) {
  const bool load = in.base() == "LDG";
  const auto [base, offset] = address_parts(args[load ? 1 : 0]);
  const size_t bytes = in.has("128")   ? 16
                       : in.has("64")  ? 8
                       : in.has("U16") ? 2
                       : in.has("U8")  ? 1
                                       : 4;
  const int data = register_number(args[load ? 0 : 1]);
  std::array<std::optional<uint32_t>, kLanes> addresses;
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[static_cast<size_t>(lane)] = number(lane, base);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (!addresses[lane]) return false;
    const int64_t at = int64_t{*addresses[lane]} + offset - (load ? kMatrix : kDump);
    if (at < 0 || at > kMaxTraced) return false;
    if (load) {
      for (size_t b = 0; b < std::max<size_t>(bytes, 4); ++b) {
        registers_[lane][static_cast<size_t>(data) + b / 4][b % 4] =
            b < bytes ? kToken + static_cast<Byte>(at + static_cast<int64_t>(b)) : 0;
      }
      continue;
    }
    for (size_t b = 0; b < bytes; ++b) {
      dump_[at + static_cast<int64_t>(b)] =
          registers_[lane][static_cast<size_t>(data) + b / 4][b % 4];
    }
  }
  return true;
}

/// MOVM.16.MT88: (lane>>2, 2*(lane&3) + half) of an 8 x 8 matrix of halves, transposed.
bool Machine::transpose(const std::vector<std::string>& args) {
  std::array<std::array<std::array<Byte, 2>, 8>, 8> matrix;
  for (int lane = 0; lane < kLanes; ++lane) {
    const Word source = word(lane, args[1]);
    for (size_t half = 0; half < 2; ++half) {
      matrix[static_cast<size_t>(lane / 4)][static_cast<size_t>(2 * (lane % 4)) + half] = {
          source[2 * half], source[2 * half + 1]};
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    Word result;
    for (size_t half = 0; half < 2; ++half) {
      const auto& cell =
          matrix[static_cast<size_t>(2 * (lane % 4)) + half][static_cast<size_t>(lane / 4)];
      result[2 * half] = cell[0];
      result[2 * half + 1] = cell[1];
    }
    write(lane, args[0], result);
  }
  return true;
}

}  // namespace

Result<Dump> run_tracer(const sass::Function& function, int parameter_offset) {
  Machine machine(parameter_offset);
  WL_TRY_STATUS(machine.run(function));
  return machine.dump();
}

int parameter_offset(int arch) { return arch < 90 ? 0x160 : arch < 100 ? 0x210 : 0x380; }

}  // namespace warpledger::derive
