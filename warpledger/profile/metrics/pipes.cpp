#include "warpledger/profile/metrics/pipes.h"

#include <algorithm>

#include "warpledger/sass/unit.h"

namespace warpledger::profile {
namespace {

using Result = ProgramInstruction::Result;

}  // namespace

void add_work(const sass::Instruction& instruction, uint64_t times, PipeWork& work) {
  using sass::Unit;
  switch (sass::unit_of(instruction)) {
    case Unit::kLsu:
      work.lsu += times;
      break;
    case Unit::kFp64:
      work.fp64 += times;
      break;
    case Unit::kAlu:
      work.alu += times;
      break;
    case Unit::kFma:
      work.fma += times;
      break;
    case Unit::kMultiply:
      work.multiply += times;
      break;
    case Unit::kWideMultiply:
      work.wide_multiply += times;
      break;
    case Unit::kXu:
      work.xu += times;
      break;
    case Unit::kTensor:
      work.tensor += times * sass::tensor_work(instruction);
      break;
    case Unit::kBarrier:
      work.barriers += times;
      break;
    case Unit::kUniform:
      work.uniform += times;
      break;
    case Unit::kNone:
      break;
  }
}

ProgramInstruction::Result result_of(const sass::Instruction& instruction) {
  using sass::is_any, sass::Unit;
  const std::string base = instruction.base();
  if (is_any(base, {"LDG", "LD", "LDL", "ATOM", "ATOMG", "LDGSTS"})) return Result::kFar;
  // The texture unit answers from the same caches; how much later than the load/store unit is not
  // modeled.
  if (is_any(base, {"TEX", "TLD", "TLD4", "TXD", "SULD"})) return Result::kFar;
  if (is_any(base, {"LDS", "LDSM", "ATOMS"})) return Result::kShared;
  if (base == "SHFL") return Result::kShuffle;
  if (is_any(base, {"S2R", "S2UR", "B2R"})) return Result::kSystem;
  if (is_any(base, {"LDC", "ULDC", "R2UR", "LDCU"})) return Result::kConstant;
  switch (sass::unit_of(instruction)) {
    case Unit::kXu:
      return Result::kSpecial;
    case Unit::kFp64:
      return Result::kDouble;
    case Unit::kTensor:
      return Result::kTensor;
    default:
      return Result::kFixed;
  }
}

PipeWork pipe_work(const Profile& profile) {
  if (profile.machine) return profile.machine->pipes;
  PipeWork work;
  for (const CodeLine& line : profile.code) add_ptx_work(line.pipe, line.executions, work);
  return work;
}

}  // namespace warpledger::profile
