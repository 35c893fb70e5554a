#include "warpledger/profile/run/machine_threads.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "warpledger/sass/operation.h"

namespace warpledger::profile {
namespace {

constexpr double kWarp = 32;

double lanes(const CodeLine& code, uint64_t executions) {
  return std::min(kWarp, static_cast<double>(code.lanes) / static_cast<double>(executions));
}

uint64_t times(double lanes, uint64_t executions) {
  return static_cast<uint64_t>(std::llround(lanes * static_cast<double>(executions)));
}

class Counter {
 public:
  Counter(const std::vector<CodeLine>& code, const std::vector<sass::SassBlock>& blocks,
          const std::vector<GuardedLine>& lines)
      : code_(code), blocks_(blocks), lines_(lines) {
    for (const sass::SassBlock& block : blocks) note_guarded(block);
  }

  std::vector<LineThreads> run() const {
    std::vector<LineThreads> counted(lines_.size());
    for (const sass::SassBlock& block : blocks_) {
      std::optional<double> active;
      for (uint32_t i = block.first; i < block.end; ++i)
        if (const auto told = told_lanes(lines_[i])) active = std::max(active.value_or(0), *told);
      for (uint32_t i = block.first; i < block.end; ++i) counted[i] = threads(lines_[i], active);
    }
    return counted;
  }

 private:
  /// How often the blocks ran that hold a PTX instruction under a guard.
  void note_guarded(const sass::SassBlock& block) {
    std::set<uint32_t> numbers;
    for (uint32_t i = block.first; i < block.end; ++i)
      if (lines_[i].has_guard) numbers.insert(lines_[i].number);
    for (const uint32_t number : numbers) guarded_runs_[number] += lines_[block.first].executions;
  }

  /// The PTX instruction of a line, where it ran.
  const CodeLine* ptx_of(const GuardedLine& line) const {
    if (line.number >= code_.size()) return nullptr;
    const CodeLine& code = code_[line.number];
    return code.executions > 0 ? &code : nullptr;
  }

  /// Lanes of an execution, from a line and its PTX instruction that both have no guard.
  std::optional<double> told_lanes(const GuardedLine& line) const {
    const CodeLine* code = ptx_of(line);
    if (code == nullptr || line.has_guard || code->text.starts_with('@')) return {};
    return lanes(*code, code->executions);
  }

  LineThreads threads(const GuardedLine& line, std::optional<double> active) const {
    LineThreads made;
    if (const auto own = told_lanes(line)) active = own;
    if (active) made.active = times(*active, line.executions);
    if (!line.has_guard) {
      made.on = made.active;
      return made;
    }
    const CodeLine* code = ptx_of(line);
    if (code == nullptr) return made;
    const double on = lanes(*code, std::max(code->executions, guarded_runs_.at(line.number)));
    made.on = times(std::min(on, active.value_or(kWarp)), line.executions);
    return made;
  }

  const std::vector<CodeLine>& code_;
  const std::vector<sass::SassBlock>& blocks_;
  const std::vector<GuardedLine>& lines_;
  std::map<uint32_t, uint64_t> guarded_runs_;  // by PTX instruction
};

std::vector<GuardedLine> lines_of(const sass::KernelWitness& kernel, const Program& program) {
  std::vector<GuardedLine> lines(kernel.code.size());
  for (size_t i = 0; i < kernel.blocks.size(); ++i) {
    const sass::SassBlock& block = kernel.blocks[i];
    for (uint32_t at = block.first; at < block.end; ++at)
      lines[at] = {program[i].executions, program[i].code[at - block.first].number,
                   kernel.code[at].predicate.starts_with('@')};
  }
  return lines;
}

/// Active threads of an execution, over the lines that are told.
double mean_lanes(const std::vector<GuardedLine>& lines, const std::vector<LineThreads>& counted) {
  uint64_t executions = 0, active = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!counted[i].active) continue;
    executions += lines[i].executions;
    active += *counted[i].active;
  }
  return executions == 0 ? kWarp : static_cast<double>(active) / static_cast<double>(executions);
}

void add_operation(sass::Operation operation, uint64_t threads, ThreadWork& work) {
  using sass::Operation;
  if (operation == Operation::kFp16) work.fp16 += threads;
  if (operation == Operation::kFp32) work.fp32 += threads;
  if (operation == Operation::kFp64) work.fp64 += threads;
  if (operation == Operation::kMemory) work.memory += threads;
}

}  // namespace

std::vector<LineThreads> count_threads(const std::vector<CodeLine>& code,
                                       const std::vector<sass::SassBlock>& blocks,
                                       const std::vector<GuardedLine>& lines) {
  return Counter(code, blocks, lines).run();
}

ThreadWork thread_work(const sass::KernelWitness& kernel, const Program& program,
                       const std::vector<CodeLine>& code) {
  const std::vector<GuardedLine> lines = lines_of(kernel, program);
  const std::vector<LineThreads> counted = count_threads(code, kernel.blocks, lines);
  const double mean = mean_lanes(lines, counted);
  ThreadWork work;
  for (size_t at = 0; at < lines.size(); ++at) {
    const uint64_t active = counted[at].active.value_or(times(mean, lines[at].executions));
    const uint64_t on = std::min(active, counted[at].on.value_or(active));
    work.active += active;
    work.on += on;
    add_operation(sass::operation_of(kernel.code[at]), on, work);
  }
  return work;
}

}  // namespace warpledger::profile
