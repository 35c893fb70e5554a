// `warpledger ncu`: ncu's command line.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_ncu(Command& app, Session& session);

}  // namespace warpledger::cli
