// In place of program.cpp in a build without the drop-in CUDA libraries (WARPLEDGER_PROGRAMS=OFF).
#include "cli/commands/program.h"

namespace warpledger::cli {
namespace {

Diagnostic not_here() {
  return {.message = "this build cannot run programs: it has no drop-in CUDA libraries",
          .hint = "profile a kernel's .ptx or .cu file, or run the program on Linux",
          .code = "no-programs"};
}

}  // namespace

Result<std::filesystem::path> library_folder() { return not_here(); }

/// A program is what follows "--" alone; every other word is a file.
int take_program(Command&, Session& session, int argc, char** argv) {
  for (int at = 1; at < argc; ++at) {
    if (std::string_view(argv[at]) != "--") continue;
    session.program.assign(argv + at + 1, argv + argc);
    return at;
  }
  return argc;
}

Result<ProgramRun> run_program(Session&, const ProgramRequest&) { return not_here(); }

}  // namespace warpledger::cli
