#include "warpledger/exec/decode/communication.h"

#include <algorithm>

#include "warpledger/ptx/special_register.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::SpecialRegister;
using trace::CacheOperator;
using trace::Kind;

bool commutes(const Step& step) {
  constexpr Modifier kCommuting[] = {Modifier::kAdd, Modifier::kMin, Modifier::kMax,
                                     Modifier::kAnd, Modifier::kOr,  Modifier::kXor};
  return std::any_of(std::begin(kCommuting), std::end(kCommuting),
                     [&](Modifier one) { return step.spelling().has(one); });
}

bool talks(const Step& step, const trace::Site& site) {
  switch (site.kind) {
    case Kind::kAtomic:
    case Kind::kCompareSwap:
    case Kind::kBulkReduction:  // added up without a lock
      return true;
    case Kind::kReduction:
      return site.floating || !commutes(step);
    case Kind::kLoad:
      return site.cache == CacheOperator::kVolatile;
    default:
      return false;
  }
}

bool tells_place(const Value& value) {
  if (value.kind != Value::Kind::kSpecial) return false;
  const auto special = static_cast<SpecialRegister>(value.slot);
  if (ptx::is_of_the_cluster(special)) return false;
  switch (special) {
    case SpecialRegister::kTid:
    case SpecialRegister::kNtid:
    case SpecialRegister::kLaneid:
    case SpecialRegister::kWarpid:
    case SpecialRegister::kNwarpid:
    case SpecialRegister::kCtaid:
    case SpecialRegister::kNctaid:
    case SpecialRegister::kLanemaskEq:
    case SpecialRegister::kLanemaskLt:
    case SpecialRegister::kLanemaskLe:
    case SpecialRegister::kLanemaskGt:
    case SpecialRegister::kLanemaskGe:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool may_communicate(const Program& program) {
  for (const auto& code : program.codes) {
    if (std::any_of(code->values.begin(), code->values.end(), tells_place)) return true;
    for (const Step& step : code->steps) {
      if (step.spelling().op() == Op::kCall) return true;
      if (std::any_of(step.operands.begin(), step.operands.end(), tells_place)) return true;
      if (step.spelling().opcode().memory == ptx::MemoryKind::kNone) continue;
      const bool has_site =
          step.site < program.sites.size() && program.sites[step.site].instruction == step.number;
      if (!has_site || program.sites[step.site].space != trace::Space::kGlobal) continue;
      if (talks(step, program.sites[step.site])) return true;
    }
  }
  return false;
}

}  // namespace warpledger::exec::reference
