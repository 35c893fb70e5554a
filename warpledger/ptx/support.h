// docs/ptx-support.md, made from the opcode table.
#pragma once

#include <string>

namespace warpledger::ptx {

/// The whole document: `warpledger ptx --support` prints it, a test compares it with the file.
[[nodiscard]] std::string support_document();

}  // namespace warpledger::ptx
