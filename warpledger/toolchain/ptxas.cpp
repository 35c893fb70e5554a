#include "warpledger/toolchain/ptxas.h"

#include <optional>

#include "warpledger/base/file.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"

namespace warpledger::toolchain {

Result<PtxasOutput> run_ptxas(const std::vector<std::string>& programs, std::string_view text,
                              const std::string& arch, const std::vector<std::string>& flags) {
  WL_CHECK(!programs.empty());
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string in = folder.file("kernel.ptx"), out = folder.file("kernel.cubin");
  WL_TRY_STATUS(write_file(in, std::string(text)));
  std::optional<Diagnostic> refusal;
  for (const std::string& ptxas : programs) {
    std::vector<std::string> command = {ptxas, "-lineinfo", "-arch=" + arch, in, "-o", out};
    command.insert(command.end(), flags.begin(), flags.end());
    const auto done = run_tool(command);
    if (done) {
      WL_TRY(std::string cubin, read_file(out));
      return PtxasOutput{.program = ptxas, .cubin = std::move(cubin)};
    }
    if (!refusal) refusal = done.error();
  }
  return *refusal;
}

}  // namespace warpledger::toolchain
