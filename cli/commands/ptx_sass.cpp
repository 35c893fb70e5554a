// `warpledger ptx sass FILE`: what ptxas makes of each PTX memory instruction.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/profile/run/kernel_text.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/witness/report.h"

namespace warpledger::cli {
namespace {

struct SassOptions {
  std::string file, kernel, arch;
  std::vector<std::string> flags;
  OutputOptions output;
};

Result<ptx::Module> read_module(const SassOptions& options) {
  const std::string arch = options.arch.empty() ? "sm_86" : options.arch;
  return profile::load_module({.path = options.file, .arch = arch, .flags = options.flags});
}

// A kernel by its name, or by a part that only one has.
Status keep_kernel(sass::Witness& witness, const std::string& name) {
  if (name.empty()) return {};
  std::vector<sass::KernelWitness> found;
  std::vector<std::string> names;
  for (sass::KernelWitness& kernel : witness.kernels) {
    names.push_back(kernel.name);
    if (kernel.name == name) found.assign(1, kernel);
    if (kernel.name == name) break;
    if (kernel.name.find(name) != std::string::npos) found.push_back(kernel);
  }
  if (found.size() != 1)
    return Diagnostic{.message = fmt::format("{} kernel has '{}' in its name",
                                             found.empty() ? "no" : "more than one", name),
                      .hint = did_you_mean(name, names),
                      .code = "unknown-kernel"};
  witness.kernels = std::move(found);
  return {};
}

std::string verdict(const sass::Witness& witness, size_t unexplained) {
  size_t accesses = 0;
  for (const sass::KernelWitness& kernel : witness.kernels) accesses += kernel.accesses.size();
  return fmt::format(
      "{}, {} SASS memory instructions, {}", witness.arch, accesses,
      unexplained == 0 ? "all explained" : fmt::format("{} not explained", unexplained));
}

Status run_ptx_sass(Session& session, const SassOptions& options) {
  WL_TRY(const ptx::Module module, read_module(options));
  const std::string arch = options.arch.empty() ? sass::default_arch(module) : options.arch;
  WL_TRY(sass::Witness witness, sass::witness(module, arch));
  WL_TRY_STATUS(keep_kernel(witness, options.kernel));
  Answer answer;
  answer.report.command = "ptx sass";
  answer.report.tables = {sass::kernel_table(witness), sass::function_table(witness),
                          sass::class_table(witness)};
  for (const sass::KernelWitness& kernel : witness.kernels) {
    if (!kernel.fates.empty()) answer.report.tables.push_back(sass::fate_table(module, kernel));
    for (std::string& line : sass::unexplained(module, kernel))
      answer.report.remarks.push_back(std::move(line));
  }
  answer.report.verdict = {verdict(witness, answer.report.remarks.size())};
  print(session, options.output, answer);
  return {};
}

}  // namespace

void add_ptx_sass(Command& ptx, Session& session) {
  auto options = std::make_shared<SassOptions>();
  Command command = add_command(ptx, "sass", "show what ptxas makes of each memory instruction",
                                "  warpledger ptx sass kernel.ptx --arch sm_86\n"
                                "  warpledger ptx sass matmul.cu --kernel matmul_tiled");
  command->add_option("file", options->file, "a .ptx, .cu or .cubin file")->required();
  command->add_option("--kernel,-k", options->kernel,
                      "kernel name, or a part of it that is unique");
  command->add_option(
      "--arch", options->arch,
      "architecture to assemble for (default: the module's target; sm_86 for CUDA)");
  command->add_option("--nvcc", options->flags, "an extra option for nvcc");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    if (const Status status = run_ptx_sass(session, *options); !status)
      fail(session, status.error());
  });
}

}  // namespace warpledger::cli
