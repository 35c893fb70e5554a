// `warpledger gpus` and its subcommand.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_gpus_new(Command& gpus, Session& session);

}  // namespace warpledger::cli
