// `warpledger mcp`: a server for models, in the Python package.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_mcp(Command& app, Session& session);

}  // namespace warpledger::cli
