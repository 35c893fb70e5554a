#include "warpledger/profile/run/machine_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/profile/run/describe.h"
#include "warpledger/profile/run/kernel_text.h"
#include "warpledger/profile/run/machine.h"
#include "warpledger/profile/run/machine_threads.h"
#include "warpledger/profile/time/warp_states.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/assemble.h"
#include "warpledger/sass/cubin/carrier.h"
#include "warpledger/sass/cubin/place_code.h"
#include "warpledger/sass/registers/live_code.h"

namespace warpledger::profile {
namespace {

constexpr uint64_t kCodeAddress = 0x1000000;  // anywhere but 0

Diagnostic not_its_code(const Profile& profile, const std::string& why) {
  return {.message = fmt::format("'{}' is not the code of this profile: {}", profile.file, why),
          .hint = "profile it again",
          .code = "not-its-code"};
}

/// Whether the profile was made of these instructions.
bool is_same(const std::vector<CodeLine>& code, const std::vector<CodeLine>& profiled) {
  return std::equal(code.begin(), code.end(), profiled.begin(), profiled.end(),
                    [](const CodeLine& a, const CodeLine& b) { return a.text == b.text; });
}

Diagnostic has_no_ptx() {
  return {.message = "this view needs PTX, but the kernel exists only as machine code",
          .hint = "--page source without --print-source shows the machine code",
          .code = "no-code"};
}

std::string architecture_of(const ptx::Module& module, const Profile& profile) {
  return module.target.variant ? sass::default_arch(module) : profile.gpu.architecture.id;
}

/// Sites by the number of their PTX instruction; those that ptxas merged or dropped have no space.
using SiteOf = std::map<uint32_t, uint32_t>;
SiteOf sites_of(const Profile& profile) {
  SiteOf sites;
  for (uint32_t i = 0; i < profile.instructions.size(); ++i) {
    const trace::Site& site = profile.instructions[i].site;
    if (site.space != trace::Space::kNone) sites.try_emplace(site.instruction, i);
  }
  return sites;
}

/// The site whose accesses a machine instruction does: its own, or that of the neighbors whose work
/// it does besides.
uint32_t site_of(const sass::SassAccess& access, const FirstNumbers& numbers, const SiteOf& sites) {
  const auto first = numbers.find(access.place.function);
  if (access.access_class != sass::AccessClass::kKept || first == numbers.end())
    return MachineLine::kNone;
  std::vector<uint32_t> members = access.members;
  if (access.place.is_statement()) members.insert(members.begin(), access.place.instruction);
  for (const uint32_t member : members) {
    const auto site = sites.find(first->second + member);
    if (site != sites.end()) return site->second;
  }
  return MachineLine::kNone;
}

std::vector<MachineLine> lines_of(const sass::KernelWitness& kernel, const Program& program) {
  std::vector<MachineLine> lines(kernel.code.size());
  for (size_t i = 0; i < kernel.blocks.size(); ++i) {
    const sass::SassBlock& block = kernel.blocks[i];
    for (uint32_t at = block.first; at < block.end; ++at) {
      lines[at].executions = program[i].executions;
      lines[at].number = program[i].code[at - block.first].number;
    }
  }
  for (size_t at = 0; at < lines.size(); ++at) {
    const sass::Instruction& from = kernel.code[at];
    lines[at].address = from.address;
    lines[at].guard = from.predicate.starts_with('@') ? from.predicate : "";
    lines[at].opcode = from.opcode;
    lines[at].target = from.target;
    lines[at].operands = fmt::format("{}", fmt::join(from.operands, ", "));
  }
  return lines;
}

void note_sites(const sass::KernelWitness& kernel, const FirstNumbers& numbers, const SiteOf& sites,
                std::vector<MachineLine>& lines) {
  std::map<uint32_t, uint64_t> executions;  // by site
  for (const sass::SassAccess& access : kernel.accesses) {
    MachineLine& line = lines[access.index];
    line.site = site_of(access, numbers, sites);
    executions[line.site] += line.executions;
  }
  for (MachineLine& line : lines) {
    if (line.site != MachineLine::kNone) line.site_executions = executions[line.site];
  }
}

void note_threads(const Profile& profile, const std::vector<sass::SassBlock>& blocks,
                  std::vector<MachineLine>& lines) {
  std::vector<GuardedLine> guarded;
  guarded.reserve(lines.size());
  for (const MachineLine& line : lines)
    guarded.push_back({line.executions, line.number, !line.guard.empty()});
  const std::vector<LineThreads> counted = count_threads(profile.code, blocks, guarded);
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].threads = counted[i].active;
    lines[i].threads_on = counted[i].on;
  }
}

/// What static analysis tells. Code that is never reached has no live registers.
void note_registers(const sass::KernelWitness& kernel, MachineCode& made) {
  const sass::LiveCode live = sass::live_code(kernel);
  made.no_registers = live.unknown;
  for (size_t i = 0; i < live.awaited.size(); ++i)
    for (const sass::Awaited& one : live.awaited[i])
      made.lines[i].waits.push_back({one.scoreboard, one.taker});
  for (size_t i = 0; i < live.registers.size(); ++i) {
    if (!live.is_reached[i]) continue;
    made.lines[i].live_registers = live.registers[i].general;
    made.lines[i].live_predicates = live.registers[i].predicates;
    for (const sass::Dependency& one : live.producers[i])
      made.lines[i].inputs.push_back({one.writer, to_text(one.which)});
  }
}

/// The simulation that the profile's states are a sum of, once more; none where it is another.
void note_states(Profile profile, const sass::KernelWitness& kernel, Program program,
                 bool with_blocks, MachineCode& made) {
  if (!profile.states) return;
  profile.program = std::move(program);
  const auto states = time::machine_states({profile, profile.counters}, kernel);
  if (!states || states->warps != profile.states->warps) return;
  for (size_t i = 0; i < made.lines.size(); ++i) made.lines[i].states = states->instructions[i];
  if (with_blocks) made.blocks = time::block_spans({profile, profile.counters}, kernel);
}

}  // namespace

Result<MachineCode> machine_code(const Profile& profile, const std::string& ptx, bool with_blocks) {
  WL_TRY(const ptx::Module module, parse_module({.path = profile.file}, ptx));
  if (sass::is_carrier(module)) return has_no_ptx();
  WL_TRY(const ptx::Function* kernel, exec::find_kernel(module, profile.kernel));
  WL_TRY(const exec::KernelLayout layout, exec::lay_out(module, *kernel));
  std::vector<CodeLine> code = code_of(module, functions_of(module, layout), {});
  if (!is_same(code, profile.code)) return not_its_code(profile, "its instructions differ");
  const std::string arch = architecture_of(module, profile);
  WL_TRY(const std::shared_ptr<const sass::Assembly> assembly, sass::assemble(module, arch));
  WL_TRY(const sass::Witness witness, sass::witness(*assembly));
  const sass::KernelWitness* found = witness.find(kernel->name);
  if (found == nullptr) return not_its_code(profile, "ptxas dropped the kernel");
  const FirstNumbers numbers = first_numbers(module, layout);
  code = profile.code;
  Program program;
  if (!profile.machine) return not_its_code(profile, "it was made without ptxas");
  const Machine machine =
      count_machine(module, *found, numbers, code, profile.execution.divergent_branches > 0,
                    profile.machine->shares, program);
  if (machine.instructions != profile.machine->instructions)
    return not_its_code(profile, "it was made by another ptxas");
  WL_TRY(sass::PlacedCubin placed, sass::place_code(*assembly->binary.bytes, kCodeAddress));
  MachineCode made{.ptx = ptx,
                   .cubin = std::move(placed.bytes),
                   .address = placed.functions[std::string(kernel->name)],
                   .lines = lines_of(*found, program)};
  for (const ptx::SourceFile& file : module.files) made.files.emplace_back(file.name);
  for (MachineLine& line : made.lines) {
    line.address += made.address;
    if (line.target) *line.target += made.address;
  }
  note_sites(*found, numbers, sites_of(profile), made.lines);
  note_threads(profile, found->blocks, made.lines);
  note_registers(*found, made);
  note_states(profile, *found, std::move(program), with_blocks, made);
  return made;
}

}  // namespace warpledger::profile
