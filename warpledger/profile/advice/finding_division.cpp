// Division and modulo of integers by a value that the compiler does not know: the GPU has no
// instruction for them, so that each becomes a routine with conversions and a reciprocal.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/metrics/pipes.h"

namespace warpledger::profile {
namespace {

/// The divisions of one source line.
struct Divisions {
  uint64_t executions = 0;
  bool has_modulo = false, has_division = false;
  bool is_estimated = false;  // from the PTX, at least in part
  PipeWork work = {};
  std::vector<uint32_t> numbers = {};  // in Profile::code
};

uint64_t total(const PipeWork& work) {
  return work.alu + work.fma + work.multiply + work.wide_multiply + work.xu + work.uniform;
}

template <class Each>
void each_pipe(PipeWork& work, const PipeWork& other, Each each) {
  each(work.alu, other.alu);
  each(work.fma, other.fma);
  each(work.multiply, other.multiply);
  each(work.wide_multiply, other.wide_multiply);
  each(work.xu, other.xu);
  each(work.uniform, other.uniform);
}
void add(PipeWork& work, const PipeWork& other) {
  each_pipe(work, other, [](uint64_t& n, uint64_t more) { n += more; });
}
void take(PipeWork& work, const PipeWork& other) {
  each_pipe(work, other, [](uint64_t& n, uint64_t less) { n -= std::min(n, less); });
}

/// What the machine code has for it; nothing where it calls a routine, as 64 bits do: its
/// instructions belong to no line.
std::optional<PipeWork> machine_work(const Profile& profile, uint32_t number) {
  if (!profile.machine) return {};
  const auto found = profile.machine->divisions.find(number);
  if (found == profile.machine->divisions.end() || found->second.xu == 0) return {};
  return found->second;
}

PipeWork estimated_work(const CodeLine& line) {
  PipeWork work;
  add_ptx_work(line.pipe, line.executions, work);
  return work;
}

/// nvcc puts a test for small numbers before a division of 64 bits, and the division on line 0.
const SourceLine& source_of(const Profile& profile, uint32_t number) {
  while (number > 0 && profile.code[number].source.line == 0) --number;
  return profile.code[number].source;
}

std::map<SourceLine, Divisions> divisions_of(const Profile& profile) {
  std::map<SourceLine, Divisions> all;
  for (uint32_t i = 0; i < profile.code.size(); ++i) {
    const CodeLine& line = profile.code[i];
    if (line.executions == 0 || !is_integer_division(line.pipe)) continue;
    Divisions& here = all[source_of(profile, i)];
    here.executions += line.executions;
    here.numbers.push_back(i);
    const bool modulo = line.text.find("rem.") != std::string::npos;
    (modulo ? here.has_modulo : here.has_division) = true;
    const std::optional<PipeWork> known = machine_work(profile, i);
    here.is_estimated |= !known;
    add(here.work, known ? *known : estimated_work(line));
  }
  return all;
}

/// A shift or a multiplication instead: one instruction of the ALU each.
double saving_without(const Evidence& evidence, const Divisions& divisions) {
  Profile cheaper = evidence.profile;
  const uint64_t work = total(divisions.work);
  const uint64_t less = work - std::min(work, divisions.executions);
  if (cheaper.machine) {
    take(cheaper.machine->pipes, divisions.work);
    cheaper.machine->pipes.alu += divisions.executions;
    cheaper.machine->instructions -= std::min(cheaper.machine->instructions, less);
  } else {
    for (const uint32_t number : divisions.numbers) cheaper.code[number].text = "shr.u32";
  }
  // The path of a warp is shorter by the same part of its instructions.
  const uint64_t before = std::max<uint64_t>(1, total(pipe_work(evidence.profile)));
  time::Path path;
  if (cheaper.timing) {
    path = time::path_of(*cheaper.timing);
    path.cycles *= 1 - static_cast<double>(std::min(less, before)) / static_cast<double>(before);
  }
  return saving_of(evidence, {cheaper, evidence.counters}, path);
}

Finding describe(const Profile& profile, const SourceLine& source, const Divisions& here) {
  const char* what = !here.has_modulo     ? "division"
                     : !here.has_division ? "modulo"
                                          : "division and modulo";
  const std::string line = to_text(source);
  Finding finding{.code = to_text(FindingCode::kIntegerDivision),
                  .title = fmt::format("Integer {} by a run-time value{}", what,
                                       line.empty() ? "" : ": " + line),
                  .where = source};
  const auto each = [&](uint64_t n) {
    return static_cast<double>(n) / static_cast<double>(here.executions);
  };
  const auto all = static_cast<double>(std::max<uint64_t>(1, total(pipe_work(profile))));
  // Routines that are called are not part of what is known of the pipes.
  const bool has_share = !here.is_estimated || !profile.machine;
  finding.because.push_back(fmt::format(
      "{} executions by warps, {:.0f} {} each ({:.0f} of the special function pipe, {:.0f} integer "
      "multiplies){}",
      in_words(static_cast<double>(here.executions)), each(total(here.work)),
      here.is_estimated ? "instructions (estimated from PTX)" : "machine instructions",
      each(here.work.xu), each(here.work.multiply + here.work.wide_multiply),
      has_share ? fmt::format(": {:.0f} % of all arithmetic",
                              100 * static_cast<double>(total(here.work)) / all)
                : ""));
  finding.remedy =
      "make the divisor a power of two (shift, mask) or a compile-time constant, hoist the "
      "division "
      "out of the loop, or multiply with a precomputed reciprocal (cutlass::FastDivmod, "
      "cuda::fast_mod_div)";
  return finding;
}

}  // namespace

void find_divisions(const Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [source, here] : divisions_of(evidence.profile)) {
    Finding finding = describe(evidence.profile, source, here);
    finding.saving = saving_without(evidence, here);
    findings.push_back(std::move(finding));
  }
}

}  // namespace warpledger::profile
