#include "warpledger/profile/run/describe.h"

#include <set>

#include "warpledger/profile/metrics/pipes.h"
#include "warpledger/ptx/module.h"
#include "warpledger/ptx/printer.h"
#include "warpledger/ptx/user_line.h"

namespace warpledger::profile {
namespace {

SourceLine line_at(const ptx::Module& module, const ptx::SourcePlace& place) {
  const std::string_view path = module.file_name(place.file);
  return {std::string(path.substr(path.rfind('/') + 1)), place.line};
}

}  // namespace

void set_lines(const ptx::Module& module, const ptx::Function& function,
               const ptx::Instruction& instruction, CodeLine& line) {
  const ptx::SourceLocation* location = function.location_of(instruction);
  if (!location || location->at.line == 0) return;
  line.source = line_at(module, ptx::user_place(module, function, *location));
  const SourceLine own = line_at(module, location->at);
  if (own != line.source) line.inner = own;
}

std::vector<const ptx::Function*> functions_of(const ptx::Module& module,
                                               const exec::KernelLayout& layout) {
  std::vector<const ptx::Function*> functions;
  for (const uint32_t index : layout.functions) functions.push_back(&module.functions[index]);
  return functions;
}

std::vector<CodeLine> code_of(const ptx::Module& module,
                              const std::vector<const ptx::Function*>& functions,
                              const std::vector<exec::InstructionCount>& counts) {
  std::vector<CodeLine> code;
  for (const ptx::Function* function : functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      CodeLine line{
          .text = ptx::print(module, *function, instruction),
          .pipe = pipe_of(module.spelling(instruction)),
          .ptx_line = static_cast<uint32_t>(module.source->locate(instruction.span).line)};
      set_lines(module, *function, instruction, line);
      if (code.size() < counts.size()) {
        line.executions = counts[code.size()].executions;
        line.lanes = counts[code.size()].lanes;
      }
      code.push_back(std::move(line));
    }
  }
  return code;
}

std::string source_folder_of(const ptx::Module& module,
                             const std::vector<const ptx::Function*>& functions) {
  for (const ptx::Function* function : functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      const ptx::SourceLocation* location = function->location_of(instruction);
      if (!location || location->at.line == 0) continue;
      const ptx::SourcePlace at = ptx::user_place(module, *function, *location);
      const std::string_view path = module.file_name(at.file);
      if (ptx::is_toolkit_header(path)) continue;
      return std::string(path.substr(0, path.rfind('/') + 1));
    }
  }
  return "";
}

uint64_t executions_of(const ptx::Module& module,
                       const std::vector<const ptx::Function*>& functions,
                       const std::vector<CodeLine>& code, ptx::Op op) {
  uint64_t sum = 0, number = 0;
  for (const ptx::Function* function : functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      if (module.spelling(instruction).op() == op) sum += code[number].executions;
      ++number;
    }
  }
  return sum;
}

uint64_t thread_index_components(const std::vector<const ptx::Function*>& functions) {
  std::set<int> components;
  for (const ptx::Function* function : functions) {
    for (const ptx::Operand& operand : function->operands) {
      const bool special = operand.kind == ptx::OperandKind::kSpecial;
      if (special &&
          static_cast<ptx::SpecialRegister>(operand.index) == ptx::SpecialRegister::kTid) {
        components.insert(operand.component());
      }
    }
  }
  return components.size();
}

Execution execution_of(const exec::Statistics& counted) {
  const auto family = [&](ptx::Family one) { return counted.by_family[static_cast<size_t>(one)]; };
  return {.ctas = counted.ctas,
          .warps = counted.warps,
          .warp_instructions = counted.warp_instructions,
          .thread_instructions = counted.thread_instructions,
          .branches = family(ptx::Family::kControl),
          .divergent_branches = counted.divergent_branches,
          .barriers = counted.barriers};
}

}  // namespace warpledger::profile
