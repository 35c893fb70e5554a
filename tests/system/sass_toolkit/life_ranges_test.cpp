// Live registers against NVIDIA's own count: nvdisasm --print-life-ranges.
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "tests/system/sass_toolkit/launch.h"
#include "warpledger/sass/registers/live_code.h"
#include "warpledger/sass/registers/liveness.h"

namespace warpledger::sass {
namespace {

using Counts = std::array<uint32_t, 2>;  // R, P
using Listing = std::map<std::string, std::map<uint64_t, Counts>>;

constexpr const char* kColumns[] = {"GPR", "PRED"};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream words(line.substr(line.find("// |") + 4));
  for (std::string cell; std::getline(words, cell, '|');) {
    const size_t first = cell.find_first_not_of(' ');
    found.push_back(first == std::string::npos
                        ? ""
                        : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return found;
}

/// `nvdisasm -c -plr -lrm count`, by kernel and address.
Listing read_life_ranges(const std::string& text) {
  Listing listing;
  std::istringstream lines(text);
  std::string kernel;
  std::vector<size_t> columns;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".text.")) kernel = line.substr(6, line.find(':') - 6);
    if (line.find("// |") == std::string::npos) continue;
    const std::vector<std::string> found = cells(line);
    if (line.find("| GPR") != std::string::npos) {
      columns.clear();
      for (const std::string& name : found) {
        const auto at = std::find(std::begin(kColumns), std::end(kColumns), name);
        columns.push_back(static_cast<size_t>(at - std::begin(kColumns)));
      }
    }
    const size_t open = line.find("/*");
    if (open == std::string::npos || open > 12) continue;
    Counts counts = {};
    for (size_t i = 0; i < std::min(columns.size(), found.size()); ++i)
      if (columns[i] < counts.size() && !found[i].empty())
        counts[columns[i]] = static_cast<uint32_t>(std::stoul(found[i]));
    listing[kernel][std::stoull(line.substr(open + 2), nullptr, 16)] = counts;
  }
  return listing;
}

Listing life_ranges(const Assembly& assembly) {
  const auto folder = toolchain::TemporaryFolder::create();
  const std::string file = folder->file("kernel.cubin");
  EXPECT_TRUE(write_file(file, *assembly.binary.bytes).ok());
  const auto done =
      toolchain::run_tool({*toolchain::find_tool("nvdisasm"), "-c", "-plr", "-lrm", "count", file});
  EXPECT_TRUE(done.ok()) << to_text(done.error());
  return read_life_ranges(done->out);
}

struct Tally {
  size_t kernels = 0, compared = 0;
};

/// nvdisasm does not follow calls.
bool calls(const KernelWitness& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(),
                     [](const Instruction& one) { return one.base() == "CALL"; });
}

void compare(const KernelWitness& kernel, const std::map<uint64_t, Counts>& judge, Tally& tally) {
  if (calls(kernel)) return;
  const LiveCode live = live_code(kernel);
  ASSERT_EQ(live.unknown, "") << kernel.name;
  ++tally.kernels;
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    const Instruction& one = kernel.code[i];
    const auto found = judge.find(one.address);
    if (found == judge.end() || !live.is_reached[i]) continue;
    const LiveRegisters& ours = live.registers[i];
    EXPECT_LE(ours.general, kernel.registers.value_or(255)) << kernel.name;
    EXPECT_EQ((Counts{ours.general, ours.predicates}), found->second)
        << kernel.name << " " << one.address << ": " << one.opcode << " "
        << testing::PrintToString(one.operands);
    ++tally.compared;
  }
}

TEST(LifeRanges, AreNvdisasms) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const std::pair<const char*, const char*> cases[] = {{"kernels/matmul.cu", "sm_75"},
                                                       {"kernels/flash_attention.cu", "sm_86"},
                                                       {"kernels/gemm_ladder.cu", "sm_90"},
                                                       {"kernels/matmul.cu", "sm_100"}};
  Tally tally;
  for (const auto& [file, arch] : cases) {
    const auto assembly = assemble(compiled(file, arch), arch);
    ASSERT_TRUE(assembly.ok()) << to_text(assembly.error());
    const auto told = witness(**assembly);
    ASSERT_TRUE(told.ok());
    Listing listing = life_ranges(**assembly);
    for (const KernelWitness& kernel : told->kernels) compare(kernel, listing[kernel.name], tally);
  }
  EXPECT_GE(tally.kernels, 10U);
  EXPECT_GE(tally.compared, 3000U);
}

}  // namespace
}  // namespace warpledger::sass
