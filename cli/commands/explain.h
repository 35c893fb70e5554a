// `warpledger explain`: what limits a launch, why and what to change.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_explain(Command& app, Session& session);

}  // namespace warpledger::cli
