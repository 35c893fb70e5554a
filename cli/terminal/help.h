// What a person meets first: help, version, misspelt words, exit codes.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

/// Name, version, color and the options that every command has.
void describe(Command& command, Session& session);

/// Parses, runs the chosen command and answers with its exit code; a misspelt command or option
/// gets a suggestion and exit code kBadInput.
int run(Command& command, Session& session, int argc, char** argv);

}  // namespace warpledger::cli
