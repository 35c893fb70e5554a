// One machine instruction: its unit, its interval, its latency.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "warpledger/sass/unit.h"
#include "warpledger/sm/program.h"
#include "warpledger/sm/warp.h"

namespace warpledger::sm {
namespace {

using sass::Unit;

Kind memory_kind(const std::string& base) {
  static const std::map<std::string, Kind> kinds = {
      {"LDG", Kind::kLoad},        {"LD", Kind::kLoad},          {"LDL", Kind::kLoad},
      {"STG", Kind::kStore},       {"ST", Kind::kStore},         {"STL", Kind::kStore},
      {"ATOMG", Kind::kAtomic},    {"ATOM", Kind::kAtomic},      {"RED", Kind::kReduction},
      {"REDG", Kind::kReduction},  {"LDGSTS", Kind::kAsyncCopy}, {"STS", Kind::kSharedStore},
      {"STSM", Kind::kSharedStore}};
  const auto found = kinds.find(base);
  return found == kinds.end() ? Kind::kSharedLoad : found->second;  // LDS, LDSM, ATOMS
}

void set_queued(Kind kind, double latency, Instruction& made) {
  made.pipe = Pipe::kMio;
  made.kind = kind;
  made.latency = latency;
}

void set_memory(const sass::Instruction& from, const Access& access, const Hardware& hardware,
                Instruction& made) {
  if (from.predicate == "@!PT") return set_queued(Kind::kFiller, 0, made);
  made.pipe = Pipe::kMio;
  made.kind = memory_kind(from.base());
  made.latency = hardware.shared;
  made.access = access;
  if (!sass::passes_lsu_without_memory(from)) return;
  // Pipe counters count S2R of threadIdx with the load/store unit, but no load delays it.
  if (from.base() == "S2R") return set_queued(Kind::kSystem, hardware.system, made);
  made.kind = Kind::kShuffle;
  made.latency = hardware.shuffle;
}

void set_arithmetic(Pipe pipe, double interval, Instruction& made) {
  made.pipe = pipe;
  made.interval = static_cast<uint32_t>(std::max(1.0, interval));
}

/// "HGMMA.64x256x16.F32 R24, gdesc[UR8], R24, gsb0": each of four warps multiplies 16 rows of D,
/// 32 bytes of each row of A at a time in every type. The last of a group names its scoreboard.
void set_group_product(const sass::Instruction& from, const Hardware& hardware, Instruction& made) {
  constexpr double kRows = 16, kStep = 16;
  const size_t shape = from.opcode.find(".64x");
  uint32_t columns = 0;
  if (shape != std::string::npos)
    std::from_chars(from.opcode.data() + shape + 4, from.opcode.data() + from.opcode.size(),
                    columns);
  made.kind = Kind::kGroupProduct;
  made.interval =
      static_cast<uint32_t>(std::max(1.0, kRows * columns * kStep / hardware.group_rate));
  made.latency = hardware.tensor_result;
  made.closes_group = !from.operands.empty() && from.operands.back().starts_with("gsb");
}

/// "WARPGROUP.DEPBAR.LE gsb0, 0x1"
void set_group_await(const sass::Instruction& from, Instruction& made) {
  made.kind = Kind::kGroupAwait;
  if (from.operands.size() < 2) return;
  made.barrier = static_cast<uint8_t>(sass::read_address(from.operands[1]).value_or(0));
}

void set_tensor(const sass::Instruction& from, const Hardware& hardware, Instruction& made) {
  if (from.base().find("GMMA") != std::string::npos) return set_group_product(from, hardware, made);
  const auto work = static_cast<double>(sass::tensor_work(from));
  const double rate = from.has("F32") ? hardware.tensor_fp32_rate : hardware.tensor_rate;
  set_arithmetic(Pipe::kTensor, std::max(2.0, work / rate), made);
  made.latency = hardware.tensor_result;
}

void set_await(const sass::GroupWait& wait, Instruction& made) {
  made.kind = Kind::kAwait;
  made.sets = wait.scoreboard;
  made.barrier = wait.left;
}

/// "BAR.SYNC.DEFER_BLOCKING 0x1, 0x80": the barrier's number, and how many threads take part.
void set_barrier(const sass::Instruction& from, Instruction& made) {
  made.kind = from.has("ARV") ? Kind::kArrive : Kind::kBarrier;
  if (from.operands.empty()) return;
  made.barrier = static_cast<uint8_t>(sass::read_address(from.operands[0]).value_or(0) % 16);
  if (from.operands.size() < 2) return;
  made.barrier_warps = static_cast<uint32_t>(sass::read_address(from.operands[1]).value_or(0) / 32);
}

void set_other(const sass::Instruction& from, const Hardware& hardware, Instruction& made) {
  const std::string base = from.base();
  if (sass::is_any(base, {"BRA", "RET", "BRX", "JMP", "JMX", "BRXU", "CALL"}))
    made.kind = Kind::kBranch;
  if (base == "BSYNC") made.kind = Kind::kReconverge;
  if (base == "EXIT" || base == "KILL") made.kind = Kind::kExit;
  if (base == "MEMBAR") made.kind = Kind::kFence;
  if (base == "LDGDEPBAR") made.kind = Kind::kCommit;
  if (const auto wait = sass::group_wait_of(from)) set_await(*wait, made);
  if (base == "WARPGROUP" && from.has("DEPBAR")) set_group_await(from, made);
  if (base == "LDC") set_queued(Kind::kSystem, hardware.constant, made);
  if (base == "S2R") set_queued(Kind::kSystem, hardware.system, made);
}

void set_unit(const sass::Instruction& from, const Access& access, const Hardware& hardware,
              Instruction& made) {
  switch (sass::unit_of(from)) {
    case Unit::kLsu:
      return set_memory(from, access, hardware, made);
    case Unit::kXu:
      return set_queued(Kind::kSpecial, hardware.special_result, made);
    case Unit::kFp64:
      if (hardware.has_queued_fp64) return set_queued(Kind::kDouble, hardware.fp64_result, made);
      made.latency = hardware.fp64_result;
      return set_arithmetic(Pipe::kFp64, hardware.fp64, made);
    case Unit::kTensor:
      return set_tensor(from, hardware, made);
    case Unit::kFma:
      return set_arithmetic(hardware.has_two_fma ? Pipe::kFma : Pipe::kFmaHeavy, hardware.fma,
                            made);
    case Unit::kMultiply:
      return set_arithmetic(Pipe::kFmaHeavy, hardware.multiply, made);
    case Unit::kWideMultiply:
      return set_arithmetic(Pipe::kFmaHeavy, hardware.wide_multiply, made);
    case Unit::kAlu:
      return set_arithmetic(Pipe::kAlu, hardware.alu, made);
    case Unit::kUniform:
      made.latency = from.base() == "S2UR" ? hardware.system : hardware.uniform_result;
      set_arithmetic(Pipe::kUniform, 2, made);
      // Blocks of a cluster run alike: who waits for the cluster waits for the own block.
      if (from.base() == "UCGABAR_WAIT") made.kind = Kind::kBarrier, made.barrier = kClusterBarrier;
      return;
    case Unit::kBarrier:
      return set_barrier(from, made);
    case Unit::kNone:
      return set_other(from, hardware, made);
  }
}

/// "c[0x0][0x160]", perhaps inside another operand: bank x 4096 + offset / 64.
int32_t constant_line(const sass::Instruction& from) {
  for (const std::string& operand : from.operands) {
    const size_t bank = operand.find("c[0x");
    const size_t offset = operand.find("][", bank);
    if (bank == std::string::npos || offset == std::string::npos) continue;
    uint32_t number = 0, bytes = 0;
    const char* end = operand.data() + operand.size();
    std::from_chars(operand.data() + bank + 4, end, number, 16);
    const size_t digits = operand.find("0x", offset);
    if (digits != std::string::npos) std::from_chars(operand.data() + digits + 2, end, bytes, 16);
    return static_cast<int32_t>(number * 4096 + bytes / 64);
  }
  return -1;
}

/// "-R4.reuse" -> 4; nothing for RZ, constants and other operands.
std::optional<uint32_t> register_of(std::string_view operand) {
  const size_t at = operand.find_first_not_of("-|~!");
  if (at == std::string_view::npos || operand[at] != 'R') return {};
  uint32_t number = 0;
  const auto read =
      std::from_chars(operand.data() + at + 1, operand.data() + operand.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

bool is_kept(std::string_view operand) { return operand.find(".reuse") != std::string_view::npos; }

/// A register that the instruction before read at the same place, and kept, is read from there.
std::array<uint8_t, 2> bank_reads(const sass::Instruction& from, const sass::Instruction* before) {
  std::array<uint8_t, 2> reads = {};
  for (size_t i = 1; i < from.operands.size(); ++i) {
    const auto number = register_of(from.operands[i]);
    if (!number) continue;
    const bool is_cached = before != nullptr && i < before->operands.size() &&
                           is_kept(before->operands[i]) &&
                           register_of(before->operands[i]) == number;
    if (is_cached) continue;
    ++reads[*number % 2];
    if (from.operands[i].find(".64") != std::string::npos) ++reads[(*number + 1) % 2];
  }
  return reads;
}

}  // namespace

Instruction decode(const sass::Instruction& from, const sass::Instruction* before,
                   const Access& access, const Hardware& hardware) {
  const sass::Control control = from.control.value_or(sass::Control{});
  Instruction made{.stall = std::max<uint8_t>(1, control.stall),
                   .sets = control.sets,
                   .reads = control.reads,
                   .waits = control.waits,
                   .keeps = control.keeps};
  set_unit(from, access, hardware, made);
  made.constant_line = constant_line(from);
  if (made.pipe != Pipe::kMio && made.pipe != Pipe::kUniform)
    made.bank_reads = bank_reads(from, before);
  return made;
}

}  // namespace warpledger::sm
