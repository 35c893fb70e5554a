// Where there is no machine code: the pipes of the PTX's own instructions (pipes.h).
#include <algorithm>

#include "warpledger/profile/metrics/pipes.h"

namespace warpledger::profile {
namespace {

using ptx::Op;
using ptx::Type;

bool has_type(const ptx::Spelling& spelling, std::initializer_list<Type> types) {
  const auto begin = spelling.types.begin(), end = begin + spelling.type_count;
  return std::find_first_of(begin, end, types.begin(), types.end()) != end;
}

Pipe integer_division(const ptx::Spelling& spelling) {
  if (bits(spelling.type()) == 64) return Pipe::kLongDivision;
  const bool is_signed = kind(spelling.type()) == ptx::TypeKind::kSigned;
  return is_signed ? Pipe::kSignedDivision : Pipe::kUnsignedDivision;
}

/// Arithmetic and all that no other pipe does.
Pipe arithmetic(const ptx::Spelling& spelling) {
  const Op op = spelling.op();
  const bool moves = op == Op::kMov || op == Op::kSelp || op == Op::kCvt;
  if (!moves && has_type(spelling, {Type::kF64})) return Pipe::kFp64;
  switch (op) {
    case Op::kSqrt:
    case Op::kRsqrt:
    case Op::kRcp:
    case Op::kEx2:
    case Op::kLg2:
    case Op::kSin:
    case Op::kCos:
    case Op::kTanh:
    case Op::kDiv:
    case Op::kPopc:
    case Op::kClz:
    case Op::kBfind:
    case Op::kBrev:
      return Pipe::kXu;
    case Op::kCvt:  // widening an integer is not a conversion
      return has_type(spelling, {Type::kF16, Type::kF16x2, Type::kF32, Type::kF32x2, Type::kF64})
                 ? Pipe::kXu
                 : Pipe::kAlu;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kFma:
    case Op::kMad:
      if (has_type(spelling, {Type::kF16, Type::kF16x2, Type::kF32, Type::kF32x2, Type::kBf16,
                              Type::kBf16x2})) {
        return Pipe::kFma;
      }
      break;
    default:
      break;
  }
  if (op != Op::kMul && op != Op::kMad && op != Op::kMul24 && op != Op::kMad24) return Pipe::kAlu;
  const bool is_wide = spelling.has(ptx::Modifier::kWide) || spelling.has(ptx::Modifier::kHi);
  return is_wide ? Pipe::kWideMultiply : Pipe::kMultiply;
}

/// What ptxas makes of a division of integers (counted in code of CUDA 13.0 for sm_80): a
/// reciprocal in floating point, two steps that mend it, two conditional corrections. 64 bits call
/// a routine.
void add_division(Pipe pipe, uint64_t times, PipeWork& work) {
  const bool is_long = pipe == Pipe::kLongDivision, is_signed = pipe == Pipe::kSignedDivision;
  work.xu += 3 * times;
  work.wide_multiply += (is_long ? 16 : 2) * times;
  work.multiply += (is_long ? 20 : is_signed ? 6 : 4) * times;
  work.alu += (is_long ? 35 : is_signed ? 11 : 9) * times;
}

}  // namespace

Pipe pipe_of(const ptx::Spelling& spelling) {
  switch (spelling.op()) {
    case Op::kLd:
    case Op::kSt:
    case Op::kStAsync:
    case Op::kStBulk:
    case Op::kAtom:
    case Op::kRed:
    case Op::kRedAsync:
    case Op::kShfl:
    case Op::kLdmatrix:
    case Op::kStmatrix: {
      const ptx::Space space = spelling.space();
      const bool is_constant = space == ptx::Space::kParam || space == ptx::Space::kConst;
      return is_constant ? Pipe::kNone : Pipe::kLsu;
    }
    case Op::kMma:
    case Op::kMmaSp:
    case Op::kWmmaMma:
      return Pipe::kTensor;
    case Op::kWmmaLoad:
    case Op::kWmmaStore:
      return Pipe::kNone;
    case Op::kDiv:
    case Op::kRem:
      if (kind(spelling.type()) == ptx::TypeKind::kFloat) return arithmetic(spelling);
      return integer_division(spelling);
    case Op::kBarSync:
    case Op::kBarArrive:
    case Op::kBarRed:
    case Op::kBarWarpSync:
    case Op::kBarrierClusterArrive:
    case Op::kBarrierClusterWait:
      return Pipe::kBarrier;
    case Op::kBra:
    case Op::kBrxIdx:
    case Op::kCall:
    case Op::kRet:
    case Op::kExit:
    case Op::kMembar:
    case Op::kFence:
    case Op::kFenceProxy:
      return Pipe::kNone;
    default:
      return arithmetic(spelling);
  }
}

Pipe pipe_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  ptx::SpellingFault fault;
  const auto spelling = ptx::decode_spelling(text.substr(0, text.find_first_of(" ;\t")), fault);
  return spelling ? pipe_of(*spelling) : Pipe::kAlu;  // of a later version
}

bool is_integer_division(Pipe pipe) {
  return pipe == Pipe::kUnsignedDivision || pipe == Pipe::kSignedDivision ||
         pipe == Pipe::kLongDivision;
}

void add_ptx_work(Pipe pipe, uint64_t times, PipeWork& work) {
  switch (pipe) {
    case Pipe::kNone:
      return;
    case Pipe::kAlu:
      work.alu += times;
      return;
    case Pipe::kFma:
      work.fma += times;
      return;
    case Pipe::kMultiply:
      work.multiply += times;
      return;
    case Pipe::kWideMultiply:
      work.wide_multiply += times;
      return;
    case Pipe::kXu:
      work.xu += times;
      return;
    case Pipe::kFp64:
      work.fp64 += times;
      return;
    case Pipe::kTensor:
      work.tensor += times * 16 * 8 * 16;
      return;
    case Pipe::kBarrier:
      work.barriers += times;
      return;
    case Pipe::kLsu:
      work.lsu += times;
      return;
    case Pipe::kUnsignedDivision:
    case Pipe::kSignedDivision:
    case Pipe::kLongDivision:
      return add_division(pipe, times, work);
  }
}

}  // namespace warpledger::profile
