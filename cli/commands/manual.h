// `warpledger manual`, apart from commands.h: it lists the commands and is none that answers.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_manual(Command& app, Session& session);

}  // namespace warpledger::cli
