#include "warpledger/ncu/report_module.h"

#include <fmt/format.h>

#include "warpledger/ncu/report_module_text.h"
#include "warpledger/toolchain/process.h"

namespace warpledger::ncu {
namespace {

constexpr int kNoModule = 3;  // report_module.py's exit codes; others: the file was not read

Diagnostic no_module(const std::string& path, const std::string& why) {
  return {.message = fmt::format("'{}' can only be read by NVIDIA's Python module ncu_report: {}",
                                 path, why),
          .hint =
              "pip install ncu-report, or put extras/python of Nsight Compute into PYTHONPATH; "
              "or ncu --import FILE --csv --page raw > FILE.csv, and compare that",
          .code = "no-ncu-report"};
}

std::string without_line_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

bool is_binary_report(const std::string& path) { return path.ends_with(".ncu-rep"); }

Result<std::string> csv_of_binary_report(const std::string& path) {
  const Result<toolchain::ProcessOutput> done =
      toolchain::run_process({"python3", "-c", std::string(report_module_text()), path});
  if (!done || done->exit_code == 127) return no_module(path, "there is no python3 along PATH");
  if (done->exit_code == kNoModule) return no_module(path, without_line_end(done->err));
  if (done->exit_code != 0) {
    return Diagnostic{.message = fmt::format("ncu_report does not read '{}': {}", path,
                                             without_line_end(done->err)),
                      .code = "bad-ncu-file"};
  }
  return done->out;
}

}  // namespace warpledger::ncu
