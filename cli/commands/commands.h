// The commands, in the order in which help lists them.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_tile(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_study(CLI::App& app, Session& session);
void add_layout(CLI::App& app, Session& session);
void add_ptx(CLI::App& app, Session& session);
void add_ptx_witness(CLI::App& ptx, Session& session);
void add_run(CLI::App& app, Session& session);
void add_profile(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_nvcc(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_gpus(CLI::App& app, Session& session);
void add_occupancy(CLI::App& app, Session& session);
void add_ceilings(CLI::App& app, Session& session);
void add_store(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);

}  // namespace warpledger::cli
