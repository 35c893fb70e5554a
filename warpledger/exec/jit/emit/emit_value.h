// LLVM. Operands and results, and the fields of the context.
#pragma once

#include <span>

#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

/// A value of 32 lanes: scalar + vector, a part that is null is 0 (both null: 0).
struct LaneValue {
  V scalar = nullptr;
  V vector = nullptr;
};
/// A scalar or a vector, as it is.
inline LaneValue lane_value(V value) {
  return value->getType()->isVectorTy() ? LaneValue{nullptr, value} : LaneValue{value, nullptr};
}

// Operands. `keep_nan`: its NaNs may be any.
[[nodiscard]] bool is_uniform(const Emitter& e, const Operand& operand);
/// Elements of a list, or the operand itself.
[[nodiscard]] std::span<const Operand> elements(const Emitter& e, const Operand& operand);
LaneValue read_slot(Emitter& e, uint32_t slot);
LaneValue read(Emitter& e, const Operand& operand, unsigned bits, bool keep_nan = false);
V uniform(Emitter& e, const Operand& operand, unsigned bits, bool keep_nan = false);
V vector(Emitter& e, const Operand& operand, unsigned bits, bool keep_nan = false);
V operand(Emitter& e, const Operand& from, unsigned bits, bool by_lane, bool keep_nan = false);
/// Whether some operand from the first source on differs by lane.
[[nodiscard]] bool differs_by_lane(const Emitter& e, const Step& step);
/// Operands 1.. of `bits` each: scalars when all are uniform, else vectors.
std::vector<V> operands(Emitter& e, const Step& step, unsigned bits, bool keep_nan = false);

// Results, under the guard and the mask where these matter.
void write(Emitter& e, const Operand& operand, LaneValue value, bool is_signed = false);
void write_slot(Emitter& e, uint32_t slot, LaneValue value);
/// To operand 0.
void write_result(Emitter& e, const Step& step, V value);
/// Whether the NaNs of operand 0 may be any (Analysis::lazy_nan).
[[nodiscard]] bool has_lazy_result(const Emitter& e, const Step& step);

// Values.
V all(Emitter& e, LaneValue value, unsigned bits);  // as one vector
LaneValue cut(Emitter& e, LaneValue value, unsigned bits);
V extended(Emitter& e, V value, unsigned bits, bool is_signed);
LaneValue extended(Emitter& e, LaneValue value, unsigned bits, bool is_signed);  // as one part
/// From 32 to 64 bits; a pair stays one.
LaneValue widen(Emitter& e, LaneValue value, bool is_signed);
/// The canonical NaN for every NaN, of bits of f32.
V tidy_nan(Emitter& e, V bits32);
/// A zero of its sign for a subnormal, of bits of f32.
V flushed(Emitter& e, V bits32);
/// a + b - sum, exactly: what the nearest double of a sum leaves out (Knuth's two-sum).
V rest_of_sum(Emitter& e, V a, V b, V sum);
llvm::Constant* lane_numbers(Emitter& e);
/// What an address of this CTA's shared memory has besides its offset, in a launch with clusters.
V rank_bits(Emitter& e, unsigned bits);
/// The element of the lowest of `lanes`; of lane 0 when there is none.
V in_first_lane(Emitter& e, V values, V lanes);
/// As a constant of the type of `of`.
[[nodiscard]] inline V number(V of, uint64_t value) {
  return llvm::ConstantInt::get(of->getType(), value);
}
[[nodiscard]] inline unsigned bits_of_type(const Step& step) {
  return static_cast<unsigned>(step.variant->type[0].bits);
}

// The context.
V place_in_context(Emitter& e, size_t offset);
V context_field(Emitter& e, llvm::Type* type, size_t offset, bool invariant = true);
void set_context_field(Emitter& e, V value, size_t offset);
/// Vectors of the context, which has them at multiples of 64 bytes.
void put_vector(Emitter& e, V value, size_t offset);
V get_vector(Emitter& e, llvm::Type* type, size_t offset);
/// Of memory that nobody writes while the warp runs.
V load_invariant(Emitter& e, llvm::Type* type, V at, unsigned align);

}  // namespace warpledger::exec::jit
