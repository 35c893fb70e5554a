// warpledger: where every byte of a GPU kernel goes, without a GPU. This file is a table of
// contents.
#include <iostream>

#include "cli/commands/commands.h"
#include "cli/commands/demo.h"
#include "cli/commands/doctor.h"
#include "cli/commands/explain.h"
#include "cli/commands/manual.h"
#include "cli/commands/mcp.h"
#include "cli/commands/ncu.h"
#include "cli/commands/program.h"
#include "cli/commands/serve.h"
#include "cli/terminal/help.h"

int main(int argc, char** argv) {
  using namespace warpledger::cli;
  Session session{.out = std::cout, .err = std::cerr};
  OptionTable table;
  Command& app = table.root();
  describe(app, session);

  add_demo(app, session);
  add_doctor(app, session);
  add_tile(app, session);
  add_plan(app, session);
  add_study(app, session);
  add_layout(app, session);
  add_ptx(app, session);
  add_run(app, session);
  add_profile(app, session);
  add_explain(app, session);
  add_report(app, session);
  add_ncu(app, session);
  add_nvcc(app, session);
  add_check(app, session);
  add_compare(app, session);
  add_gpus(app, session);
  add_occupancy(app, session);
  add_ceilings(app, session);
  add_store(app, session);
  add_serve(app, session);
  add_mcp(app, session);
  add_completion(app, session);
  add_manual(app, session);

  argc = take_program(app, session, argc, argv);
  return run(app, session, argc, argv);
}
