#include "warpledger/sm/program.h"

#include <map>

#include "warpledger/base/check.h"
#include "warpledger/sm/flow.h"
#include "warpledger/sm/roles.h"

namespace warpledger::sm {
namespace {

void set_sync(const sass::Instruction& from, int32_t sync, Instruction& made) {
  if (sync < 0) return;
  made.sync = sync;
  made.kind = from.has("PHASECHK") ? Kind::kPhaseWait : Kind::kSync;
}

/// Who finds a phase still running asks again in a loop of its own. ptxas 13 gives the first
/// question, which it took out of that loop, the PTX line of an earlier instruction: it is the
/// question that the loop repeats.
void share_questions(const std::vector<sass::Instruction>& from,
                     const std::vector<sass::SassBlock>& blocks, std::vector<Instruction>& code) {
  const auto question_of = [&](uint32_t block) -> std::optional<uint32_t> {
    for (uint32_t i = blocks[block].end; i-- > blocks[block].first;)
      if (from[i].base() == "SYNCS" && from[i].has("PHASECHK")) return i;
    return {};
  };
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const auto first = question_of(b);
    if (!first || repeats(blocks, b)) continue;
    for (const uint32_t next : blocks[b].successors) {
      const auto again = repeats(blocks, next) ? question_of(next) : std::nullopt;
      if (again) set_sync(from[*first], code[*again].sync, code[*first]);
    }
  }
}

/// Lines of constants become 0, 1, 2, ... in the order of the code.
uint32_t number_constants(std::vector<Instruction>& code) {
  std::map<int32_t, int32_t> numbers;
  for (Instruction& instruction : code) {
    if (instruction.constant_line < 0) continue;
    instruction.constant_line =
        numbers.try_emplace(instruction.constant_line, static_cast<int32_t>(numbers.size()))
            .first->second;
  }
  return static_cast<uint32_t>(numbers.size());
}

}  // namespace

Program build_program(const std::vector<sass::Instruction>& code,
                      const std::vector<sass::SassBlock>& blocks, const Counts& counts,
                      const Hardware& hardware) {
  Program program;
  for (size_t i = 0; i < code.size(); ++i) {
    const sass::Instruction* before = i == 0 ? nullptr : &code[i - 1];
    program.code.push_back(decode(code[i], before, counts.accesses[i], hardware));
    if (counts.paths) set_sync(code[i], counts.sync[i], program.code[i]);
  }
  program.constant_lines = number_constants(program.code);
  if (counts.paths) share_questions(code, blocks, program.code);
  program.blocks = linked(blocks, counts);
  if (counts.paths) add_roles(blocks, counts, program);
  return program;
}

Program without_waits(Program program, const std::vector<bool>& marked) {
  WL_CHECK(marked.size() == program.code.size());
  constexpr uint8_t kNoScoreboard = 7;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (!marked[i]) continue;
    Instruction& one = program.code[i];
    const bool is_asynchronous = one.kind == Kind::kGroupProduct || one.kind == Kind::kSync;
    one.is_instant = is_asynchronous;
    if (!is_asynchronous && one.kind != Kind::kPhaseWait) one.sets = kNoScoreboard;
  }
  return program;
}

}  // namespace warpledger::sm
