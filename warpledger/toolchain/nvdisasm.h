// A cubin to a listing, by nvdisasm: the one place that starts it.
#pragma once

#include <string>

#include "warpledger/base/result.h"

namespace warpledger::toolchain {

enum class ListingForm {
  kText,  // -c, of any version since CUDA 11
  kJson,  // -json, since CUDA 13
};

/// What the nvdisasm at `program` prints of the cubin. Fails with what nvdisasm said.
[[nodiscard]] Result<std::string> run_nvdisasm(const std::string& program, const std::string& cubin,
                                               ListingForm form);

}  // namespace warpledger::toolchain
