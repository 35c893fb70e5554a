#include "warpledger/exec/decode/inliner.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;

constexpr size_t kMostSteps = 1 << 14;  // of the kernel with all of it; compiling takes 1 ms each

const ptx::Spelling& spelling_of(std::string_view text) {
  static const auto spell = [](std::string_view wanted) {
    ptx::SpellingFault fault;
    const auto spelling = ptx::decode_spelling(wanted, fault);
    WL_CHECK(spelling.has_value());
    return *spelling;
  };
  static const std::map<std::string_view, ptx::Spelling> kSpellings = [] {
    std::map<std::string_view, ptx::Spelling> all;
    for (const std::string_view one :
         {"mov.pred", "mov.b16", "mov.b32", "mov.b64", "bra.uni", "ret", "membar.cta",
          "ld.param.b8", "ld.param.b64", "st.param.b8", "st.param.b64"})
      all[one] = spell(one);
    return all;
  }();
  return kSpellings.at(text);
}

bool is_last(Op op) { return op == Op::kRet || op == Op::kExit || op == Op::kTrap; }

bool leads_to(const Code& code, const Step& branch, uint32_t pc) {
  const Value& target = branch.operands.back();
  if (target.kind == Value::Kind::kLabel) return target.value == pc;
  const auto list = std::span<const Value>(code.values).subspan(target.slot, target.count);
  return std::ranges::any_of(list, [pc](const Value& one) { return one.value == pc; });
}

/// Where an operand of the function became a value.
uint32_t place_in(uint32_t values, const Code& code, const Value* operand) {
  return values + static_cast<uint32_t>(operand - code.values.data());
}

}  // namespace

std::string_view mov_of(uint32_t bits) {
  return bits == 1 ? "mov.pred" : bits == 16 ? "mov.b16" : bits == 32 ? "mov.b32" : "mov.b64";
}

Diagnostic refused(const ptx::Module& module, const Step& step, const char* what) {
  return {.message = fmt::format("the JIT does not compile {}", what),
          .code = "jit-unsupported",
          .at = module.source->locate(step.instruction->span),
          .fallback = Fallback::kInterpreter};
}

uint32_t slot_at(const std::vector<Piece>& pieces, uint64_t offset) {
  const auto found = std::ranges::find(pieces, offset, &Piece::offset);
  WL_CHECK(found != pieces.end());
  return found->slot;
}

Value in_register(uint32_t slot, uint32_t bits) {
  return {.kind = Value::Kind::kRegister,
          .bits = static_cast<uint16_t>(bits),
          .slot = slot,
          .count = 1};
}

Value label_at(uint32_t pc) { return {.kind = Value::Kind::kLabel, .value = pc}; }

Inliner::Inliner(Program& program, const ptx::Module& module)
    : program_(program), module_(module), plan_(program, module), flat_(std::make_unique<Code>()) {
  const Code& kernel = *program.codes[0];
  flat_->function = kernel.function;
  flat_->index = kernel.index;
  flow_.instances.emplace_back();
}

Status Inliner::run() {
  Body kernel{.code = *program_.codes[0]};
  copies_ = take_slots({64});
  WL_TRY_STATUS(place(kernel));
  finish();
  return {};
}

uint32_t Inliner::take_slots(const std::vector<uint16_t>& bits) {
  const auto first = static_cast<uint32_t>(flat_->slot_bits.size());
  flat_->slot_bits.insert(flat_->slot_bits.end(), bits.begin(), bits.end());
  return first;
}

void Inliner::take_registers(Body& body) {
  body.slots = take_slots(body.code.slot_bits);
  std::vector<uint16_t> bits;
  for (const Piece& piece : plan_.slots_of(body.code))
    bits.push_back(static_cast<uint16_t>(8 * piece.bytes));
  body.pieces = take_slots(bits);
}

void Inliner::take_values(Body& body) {
  body.values = static_cast<uint32_t>(flat_->values.size());
  for (Value value : body.code.values) {
    using Kind = Value::Kind;
    if (value.kind == Kind::kRegister || value.kind == Kind::kIndirect) value.slot += body.slots;
    if (value.kind == Kind::kList) value.slot += body.values;
    if (value.kind == Kind::kFrame || value.kind == Kind::kInFrame) value.value += body.frame;
    flat_->values.push_back(value);
  }
}

uint32_t Inliner::open_block(uint32_t instance) {
  const auto first = static_cast<uint32_t>(flat_->steps.size());
  flow_.cfg.blocks.push_back({first, first, false, {}, {}});
  flow_.instance_of.push_back(instance);
  flow_.meets.push_back(kTheEnd);
  return static_cast<uint32_t>(flow_.cfg.blocks.size() - 1);
}

void Inliner::add(const Step& step, uint32_t first_value, size_t values) {
  flat_->steps.push_back(step);
  ranges_.emplace_back(first_value, values);
  flow_.cfg.blocks.back().end = static_cast<uint32_t>(flat_->steps.size());
}

void Inliner::add_extra(const Step& like, std::string_view text,
                        const std::vector<Value>& operands) {
  const Variant& variant = variant_of(text);
  const auto first = static_cast<uint32_t>(flat_->values.size());
  flat_->values.insert(flat_->values.end(), operands.begin(), operands.end());
  add({.pure = find_pure(*variant.spelling),
       .variant = &variant,
       .instruction = like.instruction,
       .number = like.number,
       .extra = true},
      first, operands.size());
}

const Variant& Inliner::variant_of(std::string_view text) {
  const Variant*& made = variants_[text];
  if (made == nullptr) made = &program_.made.emplace_back(make_variant(spelling_of(text)));
  return *made;
}

Status Inliner::place(Body& body) {
  const Code& code = body.code;
  if (std::ranges::find(callers_, &code) != callers_.end())
    return refused(module_, flat_->steps.back(), "a recursive call");
  callers_.push_back(&code);
  take_registers(body);
  take_values(body);
  flat_->frame_bytes = std::max(flat_->frame_bytes, body.frame + code.frame_bytes);
  const ptx::Cfg cfg = ptx::build_cfg(module_, *code.function);
  if (cfg.blocks.empty()) return refused(module_, flat_->steps.back(), "an empty function");
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) WL_TRY_STATUS(place_block(body, cfg, b));
  end_body(body);
  connect(body, cfg);
  callers_.pop_back();
  return {};
}

Status Inliner::place_block(Body& body, const ptx::Cfg& cfg, uint32_t b) {
  body.blocks.push_back(open_block(body.instance));
  for (uint32_t pc = cfg.blocks[b].first; pc < cfg.blocks[b].end; ++pc) {
    body.pc_of.push_back(static_cast<uint32_t>(flat_->steps.size()));
    WL_TRY_STATUS(place_step(body, pc));
  }
  const ptx::Block& here = flow_.cfg.blocks.back();
  if (here.first == here.end)
    add_extra(body.code.steps[cfg.blocks[b].end - 1], "bra.uni",
              {label_at(static_cast<uint32_t>(flat_->steps.size()) + 1)});
  body.ends.emplace_back(b, latest());
  return {};
}

Status Inliner::place_step(Body& body, uint32_t pc) {
  const Step& step = body.code.steps[pc];
  if (flat_->steps.size() > kMostSteps)
    return refused(module_, step, "calls that take more than 16,384 instructions when inlined");
  if (step.spelling().op() == Op::kCall) {
    if (step.operands[1].kind != Value::Kind::kImmediate)
      return refused(module_, step, "a call through a pointer");
    if (const Code* callee = callee_of(program_, module_, step))
      return place_call(body, *callee, step);
  }
  if (const auto access = param_access(program_, step)) {
    if (const auto* pieces = plan_.pieces_of(access->variable)) {
      place_moves(body, step, *access, *pieces);
      return {};
    }
  }
  Step copy = step;
  if (copy.guard != UINT32_MAX) copy.guard += body.slots;
  add(copy, place_in(body.values, body.code, step.operands.data()), step.operands.size());
  return {};
}

// A load or store of pieces that are registers.
void Inliner::place_moves(const Body& body, const Step& step, const ParamAccess& access,
                          const std::vector<Piece>& pieces) {
  const auto bytes = static_cast<uint32_t>(step.variant->type[0].bits) / 8;
  const Value& other = step.operands[1 - access.address];
  const bool list = other.kind == Value::Kind::kList;
  const uint32_t first = list ? body.values + other.slot : place_in(body.values, body.code, &other);
  const Variant& variant = variant_of(mov_of(8 * bytes));
  const uint32_t count = list ? other.count : 1;
  for (uint32_t i = 0; i < count; ++i) {
    const Value value = flat_->values[first + i];
    const Value slot =
        in_register(body.pieces + slot_at(pieces, access.offset + i * bytes), 8 * bytes);
    const bool loads = access.address == 1;
    const auto begin = static_cast<uint32_t>(flat_->values.size());
    flat_->values.push_back(loads ? value : slot);
    flat_->values.push_back(loads ? slot : value);
    Step move = step;
    move.variant = &variant;
    move.pure = find_pure(*variant.spelling);
    if (move.guard != UINT32_MAX) move.guard += body.slots;
    move.extra = i > 0;
    move.mark_before = step.mark_before && i == 0;
    move.mark_after = step.mark_after && i + 1 == count;
    add(move, begin, 2);
  }
}

// Falling off the end of a function returns.
void Inliner::end_body(Body& body) {
  const auto& steps = body.code.steps;
  const auto& labels = body.code.function->labels;
  const auto end = static_cast<uint32_t>(flat_->steps.size());
  body.pc_of.push_back(end);
  if (body.instance == 0) return;
  const Op op = steps.back().spelling().op();
  const bool ends = steps.back().guard == UINT32_MAX && (is_last(op) || op == Op::kBra);
  const bool named = std::ranges::any_of(
      labels, [&](const ptx::Label& one) { return one.instruction == steps.size(); });
  if (ends && !named) return;
  body.returns.push_back(open_block(body.instance));
  add_extra(steps.back(), "ret", {});
}

void Inliner::connect(Body& body, const ptx::Cfg& cfg) {
  for (size_t i = 0; i < body.code.values.size(); ++i) {
    Value& value = flat_->values[body.values + i];
    if (value.kind == Value::Kind::kLabel) value.value = body.pc_of[value.value];
  }
  const auto meets = ptx::immediate_post_dominators(cfg, ptx::EarlyExits::kIgnore);
  for (const auto& [own, block] : body.ends) {
    flow_.meets[block] = meets[own] == cfg.exit() ? kTheEnd : body.blocks[meets[own]];
    connect_block(body, cfg.blocks[own], block);
  }
}

void Inliner::connect_block(Body& body, const ptx::Block& own, uint32_t block) {
  const Step& last = body.code.steps[own.end - 1];
  const Op op = last.spelling().op();
  ptx::Block& here = flow_.cfg.blocks[block];
  const bool kernel = body.instance == 0;
  const auto end = static_cast<uint32_t>(body.code.steps.size());
  for (const uint32_t successor : own.successors) here.successors.push_back(body.blocks[successor]);
  if (!own.leaves) return;
  if (kernel || op == Op::kExit || op == Op::kTrap) {
    here.leaves = true;
  } else if (op == Op::kRet) {
    body.returns.push_back(block);
  }
  // What leaves by falling off the end, or by a label there, comes to the block behind it.
  const bool falls = own.end == end && (!is_last(op) || last.guard != UINT32_MAX);
  const bool jumps = (op == Op::kBra || op == Op::kBrxIdx) && leads_to(body.code, last, end);
  if (kernel || (!falls && !jumps)) return;
  here.successors.insert(jumps ? here.successors.begin() : here.successors.end(), latest());
}

void Inliner::finish() {
  ptx::Cfg& cfg = flow_.cfg;
  cfg.block_of.resize(flat_->steps.size());
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    for (uint32_t pc = cfg.blocks[b].first; pc < cfg.blocks[b].end; ++pc) cfg.block_of[pc] = b;
    for (const uint32_t to : cfg.blocks[b].successors) cfg.blocks[to].predecessors.push_back(b);
    if (flow_.meets[b] == kTheEnd) flow_.meets[b] = cfg.exit();
  }
  for (size_t pc = 0; pc < ranges_.size(); ++pc) {
    flat_->steps[pc].operands =
        std::span<const Value>(flat_->values).subspan(ranges_[pc].first, ranges_[pc].second);
  }
  flat_->slots = static_cast<uint32_t>(flat_->slot_bits.size());
  flat_->inlined = std::make_shared<const Inlined>(std::move(flow_));
  program_.originals = std::move(program_.codes);
  program_.codes.clear();
  program_.codes.push_back(std::move(flat_));
}

}  // namespace warpledger::exec::reference
