// `warpledger ptx FILE`: show what a PTX module contains; --print gives it back, --cfg shows
// control flow.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/ptx/cfg.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/ptx/printer.h"
#include "warpledger/ptx/summary.h"
#include "warpledger/ptx/support.h"

namespace warpledger::cli {
namespace {

struct PtxOptions {
  std::string file;
  bool print = false;
  bool support = false;
  std::string cfg;
  OutputOptions output;
};

Diagnostic unknown_kernel(const ptx::Module& module, const std::string& name) {
  std::vector<std::string> names;
  for (const ptx::Function& function : module.functions) names.emplace_back(function.name);
  return {fmt::format("there is no function '{}' with a body", name), did_you_mean(name, names),
          "unknown-kernel"};
}

void print_cfg(Session& session, const ptx::Module& module, const std::string& name) {
  const ptx::Function* function = module.find(name);
  if (function == nullptr || !function->has_body)
    return fail(session, unknown_kernel(module, name));
  session.out << ptx::to_text(ptx::build_cfg(module, *function), module, *function);
}

void run_ptx(Session& session, const PtxOptions& options) {
  if (options.support) {
    session.out << ptx::support_document();
    return;
  }
  if (options.file.empty())
    return fail(session, {"no input file", "warpledger ptx FILE", "missing-file"});
  auto text = read_file(options.file);
  if (!text) return fail(session, text.error());
  const auto module = ptx::parse(options.file, *std::move(text));
  if (!module) return fail(session, module.error());
  if (options.print) {
    session.out << ptx::print(*module);
    return;
  }
  if (!options.cfg.empty()) return print_cfg(session, *module, options.cfg);
  Answer answer;
  answer.report.command = "ptx";
  answer.report.verdict = {fmt::format("PTX {}.{} for {}, {}-bit addresses", module->version / 10,
                                       module->version % 10, module->target.text,
                                       module->address_size)};
  answer.report.tables = ptx::summarize(*module);
  print(session, options.output, answer);
}

}  // namespace

void add_ptx(Command& app, Session& session) {
  auto options = std::make_shared<PtxOptions>();
  Command command = add_command(app, "ptx", "show what a PTX module contains",
                                "  warpledger ptx kernel.ptx\n"
                                "  warpledger ptx --cfg matmul kernel.ptx\n"
                                "  warpledger ptx sass kernel.ptx --arch sm_86");
  command->add_option("file", options->file, "the module, '-' for standard input");
  command->add_flag("--print", options->print, "print the module back");
  command->add_flag("--support", options->support,
                    "print which PTX is supported, from the opcode table");
  command->add_option("--cfg", options->cfg, "print the control flow of this function");
  add_output_options(*command, options->output);
  add_ptx_sass(*command, session);
  command->callback([options, command, &session] {
    if (!command->has_chosen()) run_ptx(session, *options);
  });
}

}  // namespace warpledger::cli
