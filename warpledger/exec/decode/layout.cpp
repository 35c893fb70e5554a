// Which functions and shared variables a kernel reaches, and their addresses.
#include <algorithm>
#include <set>

#include "warpledger/base/units.h"
#include "warpledger/exec/decode/image.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

using ptx::Function;
using ptx::Module;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using Where = KernelLayout::Where;

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return static_cast<uint64_t>(round_up(static_cast<int64_t>(offset),
                                        static_cast<int64_t>(std::max<uint64_t>(alignment, 1))));
}

// The kernel, then every function whose name is called or whose address is taken, in module order.
// A variable may contain an address (a virtual table), so an indirect call may reach them all.
std::vector<uint32_t> reachable(const Module& module, uint32_t kernel) {
  std::set<uint32_t> seen{kernel};
  std::vector<uint32_t> work{kernel};
  const auto reach = [&](uint32_t function) {
    function = module.functions[function].definition;
    if (seen.insert(function).second) work.push_back(function);
  };
  bool indirect = false;
  while (!work.empty()) {
    const Function& function = module.functions[work.back()];
    work.pop_back();
    for (const Operand& operand : function.operands) {
      if (operand.kind == OperandKind::kFunction) reach(operand.index);
      if (operand.kind != OperandKind::kPrototype && operand.kind != OperandKind::kTargets)
        continue;
      if (!indirect) {
        indirect = true;
        for (uint32_t i = 0; i < module.functions.size(); ++i) {
          if (!module.functions[i].is_entry && module.functions[i].has_body) reach(i);
        }
      }
    }
  }
  seen.erase(kernel);
  std::vector<uint32_t> functions{kernel};
  functions.insert(functions.end(), seen.begin(), seen.end());
  return functions;
}

class Layouter {
 public:
  Layouter(const Module& module, uint32_t kernel) : module_(module) {
    layout_.functions = reachable(module, kernel);
  }

  KernelLayout run() {
    for (const uint32_t function : layout_.functions) {
      lay_out_frame(function);
      add_shared(module_.functions[function]);
    }
    // Dynamic shared memory begins after all of the static, at the alignment of the strictest.
    layout_.static_shared_bytes = aligned(layout_.static_shared_bytes, dynamic_alignment_);
    for (const uint32_t variable : dynamic_) {
      layout_.places[variable] = {Where::kShared, layout_.static_shared_bytes};
    }
    return std::move(layout_);
  }

 private:
  void lay_out_frame(uint32_t index) {
    const Function& function = module_.functions[index];
    uint64_t frame = 0;
    for (const uint32_t param : function.signature.params) {
      if (index == layout_.functions[0])  // not another kernel, whose address is taken
        put(param, layout_.param_bytes, Where::kKernelParam);
      else
        put(param, frame, Where::kFrame);
    }
    for (const uint32_t result : function.signature.results) put(result, frame, Where::kFrame);
    for (const ptx::Statement& statement : function.body) {
      if (statement.kind != ptx::StatementKind::kVariable) continue;
      const Space space = module_.variables[statement.index].space;
      if (space == Space::kLocal || space == Space::kParam)
        put(statement.index, frame, Where::kFrame);
    }
    layout_.frame_bytes[index] = aligned(frame, 16);
  }

  void put(uint32_t variable, uint64_t& end, Where where) {
    const ptx::Variable& declared = module_.variables[variable];
    const uint64_t offset = aligned(end, declared.alignment());
    layout_.places[variable] = {where, offset};
    end = offset + declared.bytes();
  }

  void add_shared(const Function& function) {
    for (const Operand& operand : function.operands) {
      if (operand.kind != OperandKind::kVariable && operand.kind != OperandKind::kAddressOfVariable)
        continue;
      const ptx::Variable& variable = module_.variables[operand.index];
      if (variable.space != Space::kShared || layout_.places.contains(operand.index)) continue;
      if (variable.is_unsized) {
        layout_.places[operand.index] = {Where::kShared, 0};
        dynamic_.push_back(operand.index);
        dynamic_alignment_ = std::max<uint64_t>(dynamic_alignment_, variable.alignment());
      } else {
        put(operand.index, layout_.static_shared_bytes, Where::kShared);
      }
    }
  }

  const Module& module_;
  KernelLayout layout_;
  std::vector<uint32_t> dynamic_;
  uint64_t dynamic_alignment_ = 1;
};

}  // namespace

Result<KernelLayout> lay_out(const Module& module, const Function& kernel) {
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space != Space::kLocal || !variable.is_unsized) continue;
    return Diagnostic{.message = "a local array has no size",
                      .code = "unsized-local",
                      .at = module.source->locate(variable.span)};
  }
  const auto index = static_cast<uint32_t>(&kernel - module.functions.data());
  return Layouter(module, index).run();
}

}  // namespace warpledger::exec
