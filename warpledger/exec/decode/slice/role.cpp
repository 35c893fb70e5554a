#include "warpledger/exec/decode/slice/role.h"

#include <algorithm>
#include <map>

#include "warpledger/exec/decode/slice/base.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/exec/semantics/matrix.h"

namespace warpledger::exec {
namespace {

using ptx::Op;
using ptx::Space;
using reference::Step;
using reference::Value;

Role access(std::vector<uint8_t> needed, uint8_t address, bool reads, bool writes) {
  return {.part = Part::kAccess,
          .needed = std::move(needed),
          .reads = reads,
          .writes = writes,
          .address = address};
}

Role together(std::vector<uint8_t> needed) {
  return {.part = Part::kTogether, .needed = std::move(needed)};
}

// The kernel's own parameters never change and are in no trace; those of device functions are how
// values pass calls, and calls keep everything.
Role param_load(const Step& step, uint64_t param_bytes) {
  const Value& at = step.operands[1];
  const auto bytes = static_cast<uint64_t>(step.variant->type[0].bits) / 8 * step.spelling().vector;
  const bool inside = at.kind == Value::Kind::kFixed && bytes <= param_bytes &&
                      at.value <= param_bytes - bytes &&
                      at.value % std::max<uint64_t>(bytes, 1) == 0;
  if (inside) return {.part = Part::kValue};
  return {.reads = true, .address = 1};
}

// A product that would be refused when it runs must be met there.
Role product(const Step& step, int target) {
  const auto plan = plan_product(step.spelling(), target);
  if (!plan) return {};
  const int wanted[] = {plan->a.registers(), plan->b.registers(), plan->c.registers()};
  for (size_t i = 0; i < 3; ++i) {
    const Value& value = step.operands[i + 1];
    const int given = value.kind == Value::Kind::kList ? static_cast<int>(value.count) : 1;
    if (given < wanted[i]) return {};
  }
  return together({});
}

Role copy_role(const Step& step) {
  Role role = access({0, 1}, 1, true, true);
  role.written_at = 0;
  if (step.operands.size() > 3) role.needed.push_back(3);  // how much of the source is read
  return role;
}

// Tensor and bulk copies: every operand is an address, a size or a coordinate.
Role bulk_role(const Step& step) {
  Role role{.part = Part::kAccess, .reads = true, .writes = true};
  for (uint8_t i = 0; i < step.operands.size() && i < 8; ++i) role.needed.push_back(i);
  const bool stores = step.variant->has(ptx::Modifier::kBulkGroup);
  const bool global = step.variant->has(ptx::Modifier::kGlobal) ||
                      step.spelling().op() == Op::kCpReduceAsyncBulkTensor;
  role.read_spaces = stores || !global ? Home::kShared : Home::kGlobal;
  role.written_spaces = stores ? Home::kGlobal : Home::kShared;
  if (step.spelling().op() == Op::kCpReduceAsyncBulk ||
      step.spelling().op() == Op::kCpReduceAsyncBulkTensor)
    role.read_spaces |= role.written_spaces;
  return role;
}

// The descriptors are checked whatever becomes of the product.
Role wgmma_role(const Step& step) {
  Role role = together({2});
  if (step.operands[1].kind != Value::Kind::kList) role.needed.push_back(1);
  role.reads = true;
  role.read_spaces = Home::kShared;
  return role;
}

// Tensor memory. Addresses, descriptors and what says whether D is added are checked in any case.
Role tensor_role(const Step& step) {
  const Op op = step.spelling().op();
  Role role = together({});
  if (op == Op::kTcgen05Ld) role.needed = {1};
  if (op == Op::kTcgen05St) role.needed = {0};
  role.reads = op != Op::kTcgen05St;
  role.writes = op != Op::kTcgen05Ld;
  role.read_spaces = op == Op::kTcgen05Cp   ? Home::kShared
                     : op == Op::kTcgen05Ld ? Home::kTensor
                                            : Home::kTensor | Home::kShared;
  role.written_spaces = Home::kTensor;
  if (!role.needed.empty()) return role;
  for (uint8_t i = 0; i < step.operands.size() && i < 8; ++i) role.needed.push_back(i);
  return role;
}

// What follows from the opcode alone.
const std::map<Op, Role>& plain_roles() {
  static const std::map<Op, Role> kRoles = {
      {Op::kLd, access({1}, 1, true, false)},
      {Op::kLdu, access({1}, 1, true, false)},
      {Op::kSt, access({0}, 0, false, true)},
      {Op::kAtom, access({1}, 1, true, true)},
      {Op::kRed, access({0}, 0, true, true)},
      {Op::kLdmatrix, access({1}, 1, true, false)},
      {Op::kStmatrix, access({0}, 0, false, true)},
      {Op::kWmmaLoad, access({1, 2}, 1, true, false)},
      {Op::kWmmaStore, access({0, 2}, 0, false, true)},
      {Op::kShfl, together({4})},
      {Op::kVote, together({2})},
      {Op::kMatch, together({2})},
      {Op::kRedux, together({2})},
      {Op::kElect, together({1})},
      {Op::kMovmatrix, together({})},
  };
  return kRoles;
}

// Registers in, registers out, and nothing else to it.
bool is_value(const ptx::Spelling& spelling) {
  constexpr Op kMoves[] = {Op::kMov, Op::kCvta, Op::kIsspacep, Op::kActivemask, Op::kCreatepolicy};
  return find_pure(spelling) != nullptr || carries(spelling) ||
         std::find(std::begin(kMoves), std::end(kMoves), spelling.op()) != std::end(kMoves);
}

Role plain_role(const ptx::Spelling& spelling) {
  const auto found = plain_roles().find(spelling.op());
  if (found != plain_roles().end()) return found->second;
  return {.part = is_value(spelling) ? Part::kValue : Part::kAlways};
}

}  // namespace

Role role_of(const Step& step, uint64_t param_bytes, int target) {
  if (step.run == nullptr) return {};
  const bool param = step.spelling().space() == Space::kParam;
  switch (step.spelling().op()) {
    case Op::kLd:
    case Op::kLdu:
      return param ? param_load(step, param_bytes) : plain_role(step.spelling());
    case Op::kSt:
      return param ? Role{} : plain_role(step.spelling());
    case Op::kCpAsync:
      return copy_role(step);
    case Op::kCpAsyncBulk:
    case Op::kCpAsyncBulkTensor:
    case Op::kCpReduceAsyncBulk:
    case Op::kCpReduceAsyncBulkTensor:
      return bulk_role(step);
    case Op::kWgmmaMma:
      return wgmma_role(step);
    case Op::kTcgen05Ld:
    case Op::kTcgen05St:
    case Op::kTcgen05Cp:
    case Op::kTcgen05Mma:
    case Op::kTcgen05MmaWs:
      return tensor_role(step);
    case Op::kMma:
    case Op::kWmmaMma:
      return product(step, target);
    default:
      return plain_role(step.spelling());
  }
}

}  // namespace warpledger::exec
