// From resolved PTX to steps: registers become slots, variables addresses, literals bits.
#include <algorithm>
#include <cstring>

#include "warpledger/exec/decode/program.h"
#include "warpledger/exec/decode/trace_sites.h"
#include "warpledger/exec/memory/address.h"
#include "warpledger/ptx/cfg.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;
using Where = KernelLayout::Where;

/// Slots of 64 bits that a register takes.
uint32_t slots_of(const ptx::RegisterRange& range) {
  const auto words = static_cast<uint32_t>((ptx::bits(range.type) + 63) / 64);
  return std::max(1u, words) * range.width;
}

/// A literal's bits as the instruction reads them: 1.5 in an f32 instruction is an f32.
uint64_t literal_bits(const Operand& operand, Type wanted) {
  const TypeInfo type = type_info(wanted);
  if (operand.kind == OperandKind::kFloat64 && type.is_float && type.bits < 64) {
    return numeric::convert(type.format, numeric::kF64, operand.value);
  }
  if (operand.kind == OperandKind::kFloat32 && type.is_float && type.bits == 64) {
    return numeric::convert(numeric::kF64, numeric::kF32, operand.value);
  }
  return operand.value;
}

/// Locks and flags are polled with these.
bool polls(const ptx::Spelling& spelling) {
  using ptx::Modifier;
  if (spelling.op() == ptx::Op::kMbarrierTestWait || spelling.op() == ptx::Op::kMbarrierTryWait)
    return true;
  if (spelling.op() == ptx::Op::kAtom)
    return spelling.has(Modifier::kCas) || spelling.has(Modifier::kExch);
  if (spelling.op() != ptx::Op::kLd) return false;
  const Modifier order = spelling.get(ptx::Slot::kOrder);
  return spelling.has(Modifier::kVolatile) ||
         (order != Modifier::kNone && order != Modifier::kWeak);
}

bool has_fences(const Program& program) {
  const auto is_fence = [](const Step& step) {
    return step.spelling().op() == ptx::Op::kMembar || step.spelling().op() == ptx::Op::kFence;
  };
  return std::any_of(program.codes.begin(), program.codes.end(), [&](const auto& code) {
    return std::any_of(code->steps.begin(), code->steps.end(), is_fence);
  });
}

class Decoder {
 public:
  Decoder(const Image& image, Program& program, Code& code)
      : image_(image),
        module_(image.module()),
        program_(program),
        code_(code),
        function_(*code.function) {}

  Status run() {
    place_registers();
    const ptx::Cfg cfg = ptx::build_cfg(module_, function_);
    const auto meets = ptx::reconvergence_points(cfg, function_, ptx::EarlyExits::kIgnore);
    // Spans into code_.values are taken last: the vector grows until then.
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
    for (uint32_t pc = 0; pc < function_.instructions.size(); ++pc) {
      WL_TRY(const auto range, decode_step(pc));
      ranges.push_back(range);
      const uint32_t block = cfg.block_of[pc];
      if (pc + 1 == cfg.blocks[block].end) code_.steps[pc].reconverge = meets[block];
    }
    for (size_t pc = 0; pc < ranges.size(); ++pc) {
      code_.steps[pc].operands =
          std::span<const Value>(code_.values).subspan(ranges[pc].first, ranges[pc].second);
    }
    plan_trace(cfg, code_, program_.sites);
    return {};
  }

 private:
  void place_registers() {
    code_.slot_of.resize(function_.register_count());
    for (const ptx::RegisterRange& range : function_.registers) {
      const auto bits = static_cast<uint16_t>(std::min(ptx::bits(range.type), 64));
      for (uint32_t i = 0; i < range.count; ++i) {
        code_.slot_of[range.first + i] = code_.slots;
        code_.slots += slots_of(range);
        code_.slot_bits.resize(code_.slots, bits);
      }
    }
  }

  Result<std::pair<uint32_t, uint32_t>> decode_step(uint32_t pc) {
    const ptx::Instruction& instruction = function_.instructions[pc];
    const Variant& variant = program_.variants[instruction.spelling];
    const ptx::Form& form = *variant.spelling->form;
    Step step{.pure = find_pure(*variant.spelling),
              .variant = &variant,
              .instruction = &instruction,
              .number = code_.first_number + pc};
    step.polls = polls(*variant.spelling);
    step.move = move_of(*variant.spelling);
    if (instruction.guard != ptx::kNoGuard) {
      step.guard = code_.slot_of[instruction.guard];
      step.guard_negated = instruction.guard_negated;
    }
    const auto operands = function_.operands_of(instruction);
    std::vector<Value> values;
    for (size_t i = 0; i < operands.size(); ++i) {
      Type type = Type::kNone;
      if (i < form.operands.size()) type = ptx::operand_type(*variant.spelling, form.operands[i]);
      WL_TRY(const Value value, decode_operand(operands[i], type));
      values.push_back(value);
    }
    const auto first = static_cast<uint32_t>(code_.values.size());
    code_.values.insert(code_.values.end(), values.begin(), values.end());
    code_.steps.push_back(step);
    return std::pair{first, static_cast<uint32_t>(values.size())};
  }

  /// Null if it is not a transfer, or one that is rejected when it runs.
  const FragmentMove* move_of(const ptx::Spelling& spelling) {
    if (spelling.op() != ptx::Op::kWmmaLoad && spelling.op() != ptx::Op::kWmmaStore) return nullptr;
    Result<FragmentMove> move = plan_move(spelling, module_.target.number);
    if (!move) return nullptr;
    code_.moves.push_back(std::make_unique<const FragmentMove>(*std::move(move)));
    return code_.moves.back().get();
  }

  Result<Value> decode_operand(const Operand& operand, Type type) {
    if (operand.has_children()) return decode_list(operand, type);
    const auto plain = [&](Value::Kind kind, uint64_t value, uint32_t slot = 0) {
      return Value{.kind = kind,
                   .negated = operand.is_negated(),
                   .selector = operand.selector,
                   .slot = slot,
                   .value = value};
    };
    switch (operand.kind) {
      case OperandKind::kNone:
        return plain(Value::Kind::kNone, operand.value);
      case OperandKind::kSink:
        return plain(Value::Kind::kSink, operand.value);
      case OperandKind::kRegister:
        return register_value(operand, plain(Value::Kind::kRegister, 0));
      case OperandKind::kAddressOfRegister: {
        Value value = plain(Value::Kind::kIndirect, operand.value, code_.slot_of[operand.index]);
        value.bits = static_cast<uint16_t>(ptx::bits(function_.range_of(operand.index).type));
        return value;
      }
      case OperandKind::kSpecial: {
        Value value = plain(Value::Kind::kSpecial, operand.value, operand.index);
        value.component = static_cast<uint8_t>(std::max(operand.component(), 0));
        return value;
      }
      case OperandKind::kInteger:
      case OperandKind::kFloat32:
      case OperandKind::kFloat64:
        return plain(Value::Kind::kImmediate, literal_bits(operand, type));
      case OperandKind::kAddressOfConstant:
        return plain(Value::Kind::kFixed, operand.value);
      case OperandKind::kVariable:
        return variable_value(operand, Value::Kind::kImmediate, Value::Kind::kFrame);
      case OperandKind::kAddressOfVariable:
        return variable_value(operand, Value::Kind::kFixed, Value::Kind::kInFrame);
      case OperandKind::kFunction:
        return plain(Value::Kind::kImmediate, code_address(operand), operand.index);
      case OperandKind::kLabel:
        return plain(Value::Kind::kLabel, function_.labels[operand.index].instruction);
      case OperandKind::kTargets:
        return decode_targets(operand);
      default:
        return plain(Value::Kind::kOther, operand.value, operand.index);
    }
  }

  /// The labels of a branch's list, in order.
  Value decode_targets(const Operand& operand) {
    const auto& labels = function_.targets[operand.index].targets;
    Value list{.kind = Value::Kind::kList,
               .slot = static_cast<uint32_t>(code_.values.size()),
               .count = static_cast<uint32_t>(labels.size())};
    for (const uint32_t label : labels) {
      code_.values.push_back(
          {.kind = Value::Kind::kLabel, .value = function_.labels[label].instruction});
    }
    return list;
  }

  [[nodiscard]] uint64_t code_address(const Operand& function) const {
    return kCodeBase + kCodeStep * module_.functions[function.index].definition;
  }

  Value register_value(const Operand& operand, Value value) {
    const ptx::RegisterRange& range = function_.range_of(operand.index);
    value.slot = code_.slot_of[operand.index];
    value.bits = static_cast<uint16_t>(ptx::bits(range.type));
    if (operand.component() > 0)
      value.slot += static_cast<uint32_t>(operand.component()) * (slots_of(range) / range.width);
    value.count = operand.component() >= 0 ? 1 : range.width;
    return value;
  }

  Result<Value> decode_list(const Operand& operand, Type type) {
    std::vector<Value> children;
    for (const Operand& child : function_.children(operand)) {
      WL_TRY(const Value value, decode_operand(child, type));
      children.push_back(value);
    }
    Value list{.kind = Value::Kind::kList,
               .slot = static_cast<uint32_t>(code_.values.size()),
               .count = static_cast<uint32_t>(children.size())};
    code_.values.insert(code_.values.end(), children.begin(), children.end());
    return list;
  }

  /// `fixed` for a variable with one address, `framed` for one in the stack frame.
  Result<Value> variable_value(const Operand& operand, Value::Kind fixed, Value::Kind framed) {
    const ptx::Variable& variable = module_.variables[operand.index];
    Value value{
        .kind = fixed, .space = variable.space, .slot = operand.index, .value = operand.value};
    if (variable.space == Space::kGlobal || variable.space == Space::kConst) {
      if (variable.linkage == ptx::Linkage::kExtern) {
        return Diagnostic{
            .message = "'" + std::string(variable.name) + "' is declared in another module",
            .hint = "link the modules first",
            .code = "undefined-variable",
            .at = module_.source->locate(operand.span)};
      }
      value.value += image_.address_of(operand.index);
      return value;
    }
    const auto found = program_.layout.places.find(operand.index);
    if (found == program_.layout.places.end()) {
      return Diagnostic{
          .message = "'" + std::string(variable.name) + "' does not have an address here",
          .code = "unsupported-variable",
          .at = module_.source->locate(operand.span)};
    }
    value.value += found->second.offset;
    if (found->second.where == Where::kFrame) value.kind = framed;
    return value;
  }

  const Image& image_;
  const ptx::Module& module_;
  Program& program_;
  Code& code_;
  const ptx::Function& function_;
};

}  // namespace

Result<Program> decode(const Image& image, const ptx::Function& kernel) {
  const ptx::Module& module = image.module();
  Program program;
  program.kernel = &kernel;
  WL_TRY(program.layout, lay_out(module, kernel));
  for (const ptx::Spelling& spelling : module.spellings)
    program.variants.push_back(make_variant(spelling));
  uint32_t number = 0;
  for (const uint32_t index : program.layout.functions) {
    const ptx::Function& function = module.functions[index];
    auto code = std::make_unique<Code>();
    code->function = &function;
    code->index = index;
    code->first_number = number;
    code->frame_bytes = program.layout.frame_bytes.at(index);
    number += static_cast<uint32_t>(function.instructions.size());
    WL_TRY_STATUS(Decoder(image, program, *code).run());
    program.by_function[index] = code.get();
    program.codes.push_back(std::move(code));
  }
  const bool fences = has_fences(program);
  for (const auto& code : program.codes) mark_strong_sites(*code, fences, program.sites);
  return program;
}

}  // namespace warpledger::exec::reference
