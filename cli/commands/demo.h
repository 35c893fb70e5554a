// `warpledger demo`: the first minute.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_demo(Command& app, Session& session);

}  // namespace warpledger::cli
