// `warpledger nvcc ...`: nvcc with the shared runtime, so that `warpledger profile` can be used.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/terminal/child.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::cli {
namespace {

Status run_nvcc(const std::vector<std::string>& arguments) {
  WL_TRY(const std::string nvcc, toolchain::find_tool("nvcc"));
  std::vector<std::string> command{nvcc, "-cudart", "shared", "-lineinfo"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return become(nvcc, command);
}

}  // namespace

void add_nvcc(Command& app, Session& session) {
  Command command = add_command(
      app, "nvcc", "run nvcc with -cudart shared -lineinfo, so that `profile` can run the program",
      "  warpledger nvcc -arch=sm_80 app.cu -o app\n"
      "  warpledger profile --gpu a100-80 ./app");
  command->prefix_command();
  command->callback([command, &session] {
    if (const Status status = run_nvcc(command->remaining()); !status)
      fail(session, status.error());
  });
}

}  // namespace warpledger::cli
