// `warpledger mcp`: replaces this process with the Python package's MCP server.
#include "cli/commands/mcp.h"

#include <cstdlib>
#include <memory>

#include "cli/terminal/child.h"

namespace warpledger::cli {
namespace {

constexpr const char* kScript =
    "import sys\n"
    "try:\n"
    "    from warpledger.mcp.__main__ import main\n"
    "except ModuleNotFoundError as missing:\n"
    "    sys.exit(f'error: {missing}; the MCP server is part of the Python package: "
    "pip install \"warpledger[mcp]\"')\n"
    "main()\n";

/// The wheel's command says which Python it belongs to.
Status run_server(bool trusts_programs) {
  if (trusts_programs) setenv("WARPLEDGER_TRUST_PROGRAMS", "1", 1);
  setenv("WARPLEDGER_COMMAND", own_file().c_str(), 0);
  const char* python = std::getenv("WARPLEDGER_PYTHON");
  if (python != nullptr) return become(python, {python, "-c", kScript});
  return become("/usr/bin/env", {"env", "python3", "-c", kScript});
}

}  // namespace

void add_mcp(Command& app, Session& session) {
  Command command =
      add_command(app, "mcp", "run an MCP server on standard input and output, for agents",
                  "  pip install 'warpledger[mcp]'\n"
                  "  warpledger mcp");
  const auto trusts_programs = std::make_shared<bool>(false);
  command.add_flag("--trust-programs", *trusts_programs,
                   "run a model's programs with your full rights (default: isolated, as with "
                   "`profile --isolate`)");
  command->callback([&session, trusts_programs] {
    if (const Status status = run_server(*trusts_programs); !status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
