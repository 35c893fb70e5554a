// What a study makes: files by name. Whoever runs it writes them.
#pragma once

#include <map>
#include <string>

namespace warpledger::study {

using Files = std::map<std::string, std::string>;

}  // namespace warpledger::study
