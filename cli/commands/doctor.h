// `warpledger doctor`: what is installed here.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

void add_doctor(Command& app, Session& session);

}  // namespace warpledger::cli
