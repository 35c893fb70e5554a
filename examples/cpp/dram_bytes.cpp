// Asks the library one question: what does matmul_naive read from and write to DRAM on an RTX 3090,
// and what should change first? No GPU and no CUDA toolkit are needed.
//
//   cmake -S . -B build -DCMAKE_PREFIX_PATH=/opt/warpledger && cmake --build build
//   build/dram_bytes ../profile/matmul.ptx
#include <cstdio>
#include <string>

#include "warpledger/profile/advice/finding.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/run/query.h"

namespace profile = warpledger::profile;

// C = A B, 128 x 128 numbers each, 16 x 16 threads a block.
profile::Query multiply(const std::string& path) {
  profile::Query query;
  query.what.file.path = path;
  query.what.kernel = "matmul_naive";
  query.what.grid = {8, 8, 1};
  query.what.block = {16, 16, 1};
  query.what.arguments = {"A=f32[128x128]", "B=f32[128x128]", "C=f32[128x128]",
                          "i32:128",        "i32:128",        "i32:128"};
  query.gpu = "rtx3090";
  query.options.registers = 40;  // ptxas would say, where it is installed
  query.options.sass = false;    // do not look for it
  return query;
}

// "dram__bytes_read.sum: 131072 byte (modeled)": a number never goes without its fidelity.
bool print_metric(const std::string& name, const profile::Profile& answer) {
  const auto metric = profile::find_metric(name);
  if (!metric) return false;
  const profile::Value value = profile::evaluate(*metric, answer);
  if (!value.is_known()) return false;
  const std::string fidelity(warpledger::to_text(value.fidelity));
  std::printf("%s: %.0f %s (%s)\n", name.c_str(), *value.number(), metric->unit.c_str(),
              fidelity.c_str());
  return true;
}

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: dram_bytes matmul.ptx\n");
    return 2;
  }
  const auto answer = profile::answer(multiply(words[1]), nullptr);
  if (!answer) {
    std::fputs(warpledger::to_text(answer.error()).c_str(), stderr);
    return 1;
  }
  for (const char* name : {"dram__bytes_read.sum", "dram__bytes_write.sum"}) {
    if (!print_metric(name, answer->profile)) return 1;
  }
  for (const profile::Finding& finding : profile::find(answer->profile)) {
    std::printf("%s: %s\n", finding.code.c_str(), finding.title.c_str());
  }
  return 0;
}
