#include "warpledger/toolchain/nvdisasm.h"

#include "warpledger/base/file.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"

namespace warpledger::toolchain {

Result<std::string> run_nvdisasm(const std::string& program, const std::string& cubin,
                                 ListingForm form) {
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string in = folder.file("kernel.cubin");
  WL_TRY_STATUS(write_file(in, cubin));
  WL_TRY(ProcessOutput listing,
         run_tool({program, form == ListingForm::kJson ? "-json" : "-c", in}));
  return std::move(listing.out);
}

}  // namespace warpledger::toolchain
