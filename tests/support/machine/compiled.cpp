#include "tests/support/machine/compiled.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/unit/exec/decode/address_only.h"
#include "warpledger/exec/machine/engine.h"
#include "warpledger/exec/translate/engine.h"

namespace warpledger::exec::machine {
namespace {

struct Ran {
  std::string fault, trace;
  Statistics statistics;
  std::vector<InstructionCount> counts;
};

Ran run(exec::Engine& engine, uint32_t slots) {
  trace::DumpSink dump;
  const Status done = trace::run_all(engine, dump, slots);
  return {done ? "" : done.error().code, dump.text(), engine.statistics(),
          engine.instruction_counts()};
}

/// The first line that is not the same, with the lines of both.
std::string first_line(const std::string& a, const std::string& b) {
  size_t begin = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) break;
    if (a[i] == '\n') begin = i + 1;
  }
  const auto line = [&](const std::string& text) {
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  return "'" + line(a) + "', compiled '" + line(b) + "'";
}

std::string difference(const Loaded& loaded, const Ran& interpreted, const Ran& compiled) {
  if (interpreted.fault != compiled.fault)
    return "differs: ends with '" + interpreted.fault + "', compiled '" + compiled.fault + "'";
  if (!interpreted.fault.empty()) return "equal";  // where it stops is the scheduler's
  for (size_t i = 0; i < interpreted.counts.size(); ++i) {
    const InstructionCount &want = interpreted.counts[i], &got = compiled.counts[i];
    if (want == got) continue;
    return fmt::format(
        "differs: instruction {}, '{}', is executed {} times by {} lanes, compiled "
        "{} by {}",
        i, loaded.program.instructions[i].text, want.executions, want.lanes, got.executions,
        got.lanes);
  }
  if (interpreted.trace != compiled.trace)
    return "differs: record " + first_line(interpreted.trace, compiled.trace);
  if (described(interpreted.statistics) != described(compiled.statistics))
    return "differs: counts " + described(interpreted.statistics) + ", compiled " +
           described(compiled.statistics);
  return "equal";
}

}  // namespace

std::string compare_compiled(Image& image, const exec::Launch& launch, const std::string& cubin,
                             const Limits& limits, uint32_t slots, translate::Parting parting) {
  const MemorySnapshot before(image.memory());
  auto compiled = translate::Engine::create(image, launch, cubin, jit::shared_code_cache({}),
                                            {.record = true, .count = true, .limits = limits},
                                            Spellings::kAll, parting);
  if (!compiled) {
    before.restore();  // addresses of functions are the cubin's by now
    return "interpreted: " + compiled.error().message;
  }
  const Ran fast = run(**compiled, slots);
  const MemorySnapshot by_compiled(image.memory());
  before.restore();
  auto engine = Engine::create(image, launch, cubin, limits, true, Spellings::kAll);
  if (!engine) return "stopped: " + engine.error().message;
  const Ran slow = run(**engine, slots);
  const MemorySnapshot by_interpreter(image.memory());
  before.restore();
  std::string outcome = difference((*engine)->loaded(), slow, fast);
  const std::string bytes = slow.fault.empty() ? first_difference(by_interpreter, by_compiled) : "";
  if (bytes.empty()) return outcome;
  return "differs: memory " + bytes + (outcome == "equal" ? "" : "; " + outcome);
}

}  // namespace warpledger::exec::machine
