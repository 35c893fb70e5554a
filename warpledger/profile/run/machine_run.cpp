#include "warpledger/profile/run/machine_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/run/describe.h"
#include "warpledger/profile/run/machine.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/cubin/carrier.h"
#include "warpledger/sass/witness/blocks.h"

namespace warpledger::profile {
namespace {

/// The lines of PTX that machine code was made of, as far as its cubin tells.
class SourceLines {
 public:
  SourceLines(const Request& request, const exec::machine::Listing& listing) {
    if (sass::is_carrier(request.module)) return;
    auto object = sass::compile(request.module, architecture_of(request));
    if (!object || !(*object)->cubin.has_ptx_lines) return;
    object_ = *std::move(object);
    places_ = sass::places_of_lines(object_->module);
    for (const exec::machine::Listing::Function& function : listing.functions)
      if (const auto* found = object_->cubin.find(function.name))
        sections_[function.first] = found->section;
  }

  void set(uint32_t number, uint64_t offset, CodeLine& line) const {
    auto section = sections_.upper_bound(number);
    if (section == sections_.begin()) return;
    --section;
    const sass::LineRow row = sass::line_at(object_->cubin.ptx_lines, section->second, offset);
    if (row.line == 0 || row.line >= places_.size()) return;
    const sass::Place& place = places_[row.line];
    line.ptx_line = row.line;
    if (!place.is_statement()) return;
    const ptx::Function& function = object_->module.functions[place.function];
    set_lines(object_->module, function, function.instructions[place.instruction], line);
  }

 private:
  std::shared_ptr<const sass::Object> object_;
  std::vector<sass::Place> places_;
  std::map<uint32_t, uint16_t> sections_;  // by the number of a function's first instruction
};

}  // namespace

bool runs_machine_code(const Request& request) {
  return request.engine.engine == exec::EngineChoice::kMachine || sass::is_carrier(request.module);
}

std::string architecture_of(const Request& request) {
  return request.module.target.variant ? sass::default_arch(request.module)
                                       : request.gpu.architecture.id;
}

Status check_architecture(const Request& request) {
  if (!sass::is_carrier(request.module)) return {};
  const int code = request.module.target.number;
  const int gpu = request.gpu.architecture.major * 10 + request.gpu.architecture.minor;
  if (code / 10 == gpu / 10 && code <= gpu) return {};
  return Diagnostic{
      .message = fmt::format("'{}' is machine code for sm_{}, which a GPU of {} cannot run",
                             request.file, code, request.gpu.architecture.id),
      .hint = fmt::format("pick an sm_{} GPU; `warpledger gpus` lists them", code),
      .code = "wrong-architecture"};
}

sass::KernelWitness own_witness(const exec::machine::Listing& listing) {
  sass::KernelWitness kernel{.name = listing.kernel, .is_entry = true, .function = 0};
  kernel.code = listing.code;
  for (const exec::machine::Listing::Function& function : listing.functions)
    kernel.functions.push_back({.name = function.name,
                                .first = function.first,
                                .end = function.end,
                                .is_entry = function.name == listing.kernel});
  kernel.blocks = sass::build_blocks(kernel.code, kernel.functions, listing.indirect);
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    kernel.places.push_back({.function = 0, .instruction = i});
    const auto access = sass::access_of(kernel.code[i]);
    if (!access) continue;
    kernel.accesses.push_back({.index = i,
                               .access = *access,
                               .access_class = sass::AccessClass::kKept,
                               .place = kernel.places.back(),
                               .members = {i}});
  }
  return kernel;
}

std::vector<CodeLine> machine_lines(const Request& request, const exec::machine::Listing& listing) {
  const SourceLines sources(request, listing);
  std::vector<CodeLine> lines;
  for (uint32_t i = 0; i < listing.code.size(); ++i) {
    CodeLine line{.text = exec::machine::to_text(listing.code[i]), .sass = listing.code[i].opcode};
    sources.set(i, listing.offsets[i], line);
    lines.push_back(std::move(line));
  }
  return lines;
}

void set_counts(const std::vector<exec::InstructionCount>& counts, std::vector<CodeLine>& lines) {
  for (size_t i = 0; i < std::min(counts.size(), lines.size()); ++i) {
    lines[i].executions = lines[i].issued = counts[i].executions;
    lines[i].lanes = counts[i].lanes;
  }
}

uint64_t executions_of(const exec::machine::Listing& listing, const std::vector<CodeLine>& code,
                       std::string_view opcode) {
  uint64_t sum = 0;
  for (size_t i = 0; i < code.size(); ++i)
    if (listing.code[i].base() == opcode) sum += code[i].executions;
  return sum;
}

uint64_t thread_index_reads(const exec::machine::Listing& listing,
                            const std::vector<CodeLine>& code) {
  uint64_t sum = 0;
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i].text.find("SR_TID.") != std::string::npos && listing.code[i].base() == "S2R")
      sum += code[i].executions;
  return sum;
}

}  // namespace warpledger::profile
