#include "warpledger/toolchain/nvcc.h"

#include "warpledger/base/file.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::toolchain {

Result<std::string> compile_cuda(const std::string& path, const std::string& arch,
                                 const std::vector<std::string>& flags) {
  WL_TRY(const std::string nvcc, find_tool("nvcc"));
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string out = folder.file("kernel.ptx");
  std::vector<std::string> command{nvcc, "-ptx", "-lineinfo", "-arch=" + arch, "-o", out, path};
  command.insert(command.end(), flags.begin(), flags.end());
  WL_TRY(const ProcessOutput done, run_tool(command));
  return read_file(out);
}

}  // namespace warpledger::toolchain
