// PTX to a cubin, by ptxas: the one place that starts it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::toolchain {

struct PtxasOutput {
  std::string program;  // the ptxas that took the text
  std::string cubin;
};

/// `text` for `arch` ("sm_90a") with -lineinfo, which does not change the code: compared byte by
/// byte over 978 sections of 281 files. The first of `programs` that takes the text answers: PTX
/// newer than the toolkit goes to the next one. When all refuse, the failure is the first one's.
/// `flags` are handed to ptxas as they are.
[[nodiscard]] Result<PtxasOutput> run_ptxas(const std::vector<std::string>& programs,
                                            std::string_view text, const std::string& arch,
                                            const std::vector<std::string>& flags = {});

}  // namespace warpledger::toolchain
