#include "warpledger/exec/decode/inline.h"

#include <algorithm>

#include "warpledger/exec/decode/inliner.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {

bool has_calls(const Program& program, const ptx::Module& module) {
  return std::ranges::any_of(program.codes[0]->steps, [&](const Step& step) {
    return step.spelling().op() == ptx::Op::kCall &&
           (step.operands[1].kind != Value::Kind::kImmediate ||
            callee_of(program, module, step) != nullptr);
  });
}

Status inline_calls(Program& program, const ptx::Module& module) {
  return Inliner(program, module).run();
}

ptx::Cfg cfg_of(const Code& code, const ptx::Module& module) {
  return code.inlined != nullptr ? code.inlined->cfg : ptx::build_cfg(module, *code.function);
}

namespace {

const Code& original_of(const Program& program, const Step& step) {
  const auto& codes = program.originals.empty() ? program.codes : program.originals;
  const auto after = std::ranges::upper_bound(codes, step.number, {},
                                              [](const auto& code) { return code->first_number; });
  return **std::prev(after);
}

}  // namespace

const ptx::Function& Program::function_of(const Step& step) const {
  return *original_of(*this, step).function;
}

const ptx::Spelling& Program::spelling_of(const Step& step) const {
  const Code& code = original_of(*this, step);
  return code.steps[step.number - code.first_number].spelling();
}

uint32_t Program::instructions() const {
  uint32_t sum = 0;
  for (const auto& code : originals.empty() ? codes : originals)
    sum += static_cast<uint32_t>(code->steps.size());
  return sum;
}

}  // namespace warpledger::exec::reference
