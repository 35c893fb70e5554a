#include "warpledger/exec/decode/inline_params.h"

#include <algorithm>

#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;
using Where = KernelLayout::Where;

bool overlap(const Piece& a, const Piece& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}
bool same_bytes(const Piece& a, const Piece& b) {
  return a.offset == b.offset && a.bytes == b.bytes;
}

std::span<const Value> elements(const Code& code, const Value& value) {
  if (value.kind != Value::Kind::kList) return std::span(&value, 1);
  return std::span<const Value>(code.values).subspan(value.slot, value.count);
}

/// A value that a mov takes or gives, of the piece's size.
bool is_whole(const Value& value, uint32_t bits) {
  if (value.kind == Value::Kind::kSink) return true;
  if (value.kind == Value::Kind::kImmediate) return value.space == ptx::Space::kGeneric;
  return value.kind == Value::Kind::kRegister && value.count == 1 && value.bits == bits;
}

}  // namespace

const Code* callee_of(const Program& program, const ptx::Module& module, const Step& step) {
  if (step.spelling().op() != Op::kCall) return nullptr;
  const Value& callee = step.operands[1];
  if (callee.kind != Value::Kind::kImmediate) return nullptr;
  const Code* code = program.find(module.functions[callee.slot].definition);
  return code != nullptr && code->function->has_body ? code : nullptr;
}

std::optional<ParamAccess> param_access(const Program& program, const Step& step) {
  const Op op = step.spelling().op();
  if ((op != Op::kLd && op != Op::kSt) || step.spelling().space() != ptx::Space::kParam) return {};
  const uint8_t address = op == Op::kLd ? 1 : 0;
  const Value& at = step.operands[address];
  if (at.kind != Value::Kind::kInFrame || at.space != ptx::Space::kParam) return {};
  const uint64_t begin = program.layout.places.at(at.slot).offset;
  return ParamAccess{.variable = at.slot, .offset = at.value - begin, .address = address};
}

ParamPlan::ParamPlan(const Program& program, const ptx::Module& module)
    : program_(program), module_(module) {
  for (const auto& code : program.codes) {
    for (const Step& step : code->steps) visit(*code, step);
  }
  keep_overlaps_in_frame();
  for (bool changed = true; changed;) {
    changed = false;
    for (const Link& link : links_) {
      if (agree(link)) continue;
      changed |= !in_frame_[link.writer] || !in_frame_[link.reader];
      in_frame_[link.writer] = in_frame_[link.reader] = true;
    }
  }
  number_slots();
}

void ParamPlan::visit(const Code& code, const Step& step) {
  if (const Code* callee = callee_of(program_, module_, step))
    return visit_call(code, *callee, step);
  const auto access = param_access(program_, step);
  if (access && add_pieces(code, step, *access)) return;
  for (const Value& operand : step.operands) keep_in_frame(code, operand);
}

void ParamPlan::visit_call(const Code& code, const Code& callee, const Step& step) {
  const auto& signature = callee.function->signature;
  const auto link = [&](const Value& list, const std::vector<uint32_t>& formals, bool in) {
    const auto actuals = elements(code, list);
    for (size_t i = 0; i < formals.size() && i < actuals.size(); ++i) {
      const uint32_t actual = actuals[i].slot;
      function_of_[actual] = code.index;
      function_of_[formals[i]] = callee.index;
      links_.push_back(in ? Link{actual, formals[i]} : Link{formals[i], actual});
    }
  };
  if (step.operands[0].kind == Value::Kind::kList) link(step.operands[0], signature.results, false);
  if (step.operands.size() > 2) link(step.operands[2], signature.params, true);
}

bool ParamPlan::add_pieces(const Code& code, const Step& step, const ParamAccess& access) {
  const auto bits = static_cast<uint32_t>(step.variant->type[0].bits);
  if (bits != 16 && bits != 32 && bits != 64) return false;
  const auto values = elements(code, step.operands[1 - access.address]);
  const bool whole = std::ranges::all_of(values, [&](const Value& v) { return is_whole(v, bits); });
  const uint64_t size = module_.variables[access.variable].bytes();
  if (!whole || access.offset + values.size() * (bits / 8) > size) return false;
  function_of_[access.variable] = code.index;
  std::vector<Piece>& pieces = pieces_[access.variable];
  for (size_t i = 0; i < values.size(); ++i) {
    const Piece piece{.offset = access.offset + i * (bits / 8), .bytes = bits / 8};
    const auto same = [&](const Piece& other) { return same_bytes(piece, other); };
    if (std::ranges::none_of(pieces, same)) pieces.push_back(piece);
  }
  return true;
}

void ParamPlan::keep_in_frame(const Code& code, const Value& value) {
  if (value.kind == Value::Kind::kList) {
    for (const Value& child : elements(code, value)) keep_in_frame(code, child);
  } else if (value.kind == Value::Kind::kFrame || value.kind == Value::Kind::kInFrame) {
    in_frame_[value.slot] = true;
  }
}

void ParamPlan::keep_overlaps_in_frame() {
  for (const auto& [variable, pieces] : pieces_) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (overlap(pieces[i], pieces[j])) in_frame_[variable] = true;
      }
    }
  }
}

// Every piece that is read was written as such.
bool ParamPlan::agree(const Link& link) const {
  const auto in_frame = [&](uint32_t variable) {
    const auto found = in_frame_.find(variable);
    return found != in_frame_.end() && found->second;
  };
  if (in_frame(link.writer) || in_frame(link.reader))
    return in_frame(link.writer) && in_frame(link.reader);
  const auto writes = pieces_.find(link.writer), reads = pieces_.find(link.reader);
  if (reads == pieces_.end()) return true;
  return std::ranges::all_of(reads->second, [&](const Piece& read) {
    return writes != pieces_.end() &&
           std::ranges::any_of(writes->second,
                               [&](const Piece& written) { return same_bytes(read, written); });
  });
}

void ParamPlan::number_slots() {
  for (const auto& code : program_.codes) slots_[code->index];
  for (auto& [variable, pieces] : pieces_) {
    if (in_frame_[variable]) continue;
    std::vector<Piece>& slots = slots_[function_of_.at(variable)];
    for (Piece& piece : pieces) {
      piece.slot = static_cast<uint32_t>(slots.size());
      slots.push_back(piece);
    }
  }
}

const std::vector<Piece>* ParamPlan::pieces_of(uint32_t variable) const {
  static const std::vector<Piece> kNone;
  const auto kept = in_frame_.find(variable);
  if (kept != in_frame_.end() && kept->second) return nullptr;
  const auto found = pieces_.find(variable);
  return found == pieces_.end() ? &kNone : &found->second;
}

}  // namespace warpledger::exec::reference
