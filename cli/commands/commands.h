// The commands, in the order in which help lists them.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_tile(Command& app, Session& session);
void add_plan(Command& app, Session& session);
void add_study(Command& app, Session& session);
void add_layout(Command& app, Session& session);
void add_ptx(Command& app, Session& session);
void add_ptx_sass(Command& ptx, Session& session);
void add_run(Command& app, Session& session);
void add_profile(Command& app, Session& session);
void add_report(Command& app, Session& session);
void add_nvcc(Command& app, Session& session);
void add_check(Command& app, Session& session);
void add_compare(Command& app, Session& session);
void add_gpus(Command& app, Session& session);
void add_occupancy(Command& app, Session& session);
void add_ceilings(Command& app, Session& session);
void add_store(Command& app, Session& session);
void add_completion(Command& app, Session& session);

}  // namespace warpledger::cli
