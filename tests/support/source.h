// Where the project's files lie. One small source knows the folder, so that a compiler cache serves
// every other test to another clone.
#pragma once

#include <string>
#include <string_view>

namespace warpledger::test {

/// The path of a file of the project, e.g. source_path("tiles/flash.tile").
[[nodiscard]] std::string source_path(std::string_view file = {});

}  // namespace warpledger::test
