#include "tests/support/source.h"

namespace warpledger::test {

std::string source_path(std::string_view file) {
  return std::string(WL_SOURCE_DIR) + "/" + std::string(file);
}

}  // namespace warpledger::test
