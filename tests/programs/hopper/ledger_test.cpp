// kernels/attention_sm90.cu and attention_sm100.cu against their tile programs, row by row, and
// against their plans.
#include "warpledger/profile/metrics/ledger.h"

#include <set>

#include "tests/programs/program.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/plan/parse.h"
#include "warpledger/plan/place.h"
#include "warpledger/profile/metrics/metric.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/tile/cost.h"
#include "warpledger/tile/parser.h"

namespace warpledger {
namespace {

constexpr uint32_t kSequence = 256, kHeads = 2;

struct Kernel {
  std::string name, arch, gpu;
  uint32_t rows = 0;
  // What the kernel's trace calls the tiles of the program.
  std::map<std::string, std::string> subjects;
};

Kernel wgmma() {
  return {"attention_sm90",
          "sm_90a",
          "h100-sxm",
          64,
          {{"Q", "Q"}, {"K", "K"}, {"V", "V"}, {"q, k", "Q, K"}, {"p, v", "V"}, {"r", "O"}}};
}
Kernel tcgen05() {
  return {"attention_sm100",
          "sm_100a",
          "b200",
          128,
          {{"Q", "Q"},
           {"K", "K"},
           {"V", "V"},
           {"q, k", "Q, K"},
           {"s", "tmem[0:64]"},
           {"weights", "tmem[64:96]"},
           {"p, v", "V"},
           {"p, v of tmem", "tmem[64:96]"},
           {"y", "tmem[96:160]"},
           {"r", "O"}}};
}

plan::Placement placement_of(const Kernel& kernel) {
  std::string name = kernel.name;
  name[name.find('_')] = '-';
  const std::string path = test::source_path("examples/plans/") + name + ".plan";
  return place(*plan::parse(Source(path, *read_file(path)), {}));
}

Result<profile::Profile> profile_of(const Kernel& kernel, uint32_t shared_bytes) {
  const Result<ptx::Module> module =
      ptx::parse(kernel.name, exec::compiled("../../kernels/" + kernel.name + ".cu", kernel.arch));
  EXPECT_TRUE(module.ok());
  profile::Request request{.module = *module, .file = kernel.name, .kernel = kernel.name};
  request.gpu = profile::testing::gpu_named(kernel.gpu.c_str());
  request.grid = {kSequence / kernel.rows, kHeads, 1};
  request.block = {128, 1, 1};
  request.dynamic_shared_bytes = shared_bytes;
  request.registers = 128;
  request.sass = false;
  const std::string shape = "f16[" + std::to_string(kHeads * kSequence) + "x64]:random";
  const std::string map = "=tensormap(box=64x64,swizzle=128B):" + shape;
  for (const std::string& text : {"Q" + map, "K" + map, "V" + map, "O=" + shape,
                                  "i32:" + std::to_string(kSequence), std::string("f32:0.18")}) {
    request.arguments.push_back(
        *exec::parse_argument(text, static_cast<int>(request.arguments.size()) + 1));
  }
  return profile::run(request);
}

/// Rows that move something by edge and subject.
using Rows = std::map<std::pair<Edge, std::string>, Amount>;

Rows program_rows(const Kernel& kernel) {
  const std::string path = test::source_path("tiles/") + kernel.name + ".tile";
  const Result<tile::CheckedProgram> program = tile::load(path);
  EXPECT_TRUE(program) << to_text(program.error());
  const Result<Ledger> ledger =
      at_sizes(tile::ledger_of(*program), Sizes{{"H", kHeads}, {"N", kSequence}});
  EXPECT_TRUE(ledger) << to_text(ledger.error());
  Rows rows;
  for (const Movement& row : ledger->rows) {
    if (row.total().value == Amount(0)) continue;
    const bool tensor = row.subject == "p, v" && row.edge.from == Level::kTmem;
    const auto subject = kernel.subjects.find(tensor ? "p, v of tmem" : row.subject);
    EXPECT_NE(subject, kernel.subjects.end()) << row.subject;
    if (subject == kernel.subjects.end()) continue;
    auto [at, fresh] = rows.try_emplace({row.edge, subject->second}, Amount(0));
    at->second = at->second + row.total().value;
  }
  return rows;
}

/// A program knows no caches: what passes between them is not its row, what enters or leaves the L1
/// enters or leaves global memory.
Rows kernel_rows(const profile::Profile& profile) {
  const auto is_cache = [](Level level) {
    return level == Level::kL1 || level == Level::kL2 || level == Level::kDram;
  };
  Rows rows;
  for (const Movement& row : profile::ledger_of(profile).rows) {
    Edge edge = row.edge;
    if (is_cache(edge.from) && is_cache(edge.to)) continue;
    if (is_cache(edge.from)) edge.from = Level::kDram;
    if (is_cache(edge.to)) edge.to = Level::kDram;
    auto [at, fresh] = rows.try_emplace({edge, row.subject}, Amount(0));
    at->second = at->second + row.total().value;
  }
  return rows;
}

std::string text_of(const Rows& rows) {
  std::string text;
  for (const auto& [key, bytes] : rows) {
    text += fmt::format("{} of {}: {}\n", to_text(key.first), key.second, bytes.to_text());
  }
  return text;
}

void expect_equal_ledgers(const Kernel& kernel) {
  const auto total = static_cast<uint32_t>(placement_of(kernel).shared.packing.total);
  const auto profile = profile_of(kernel, total);
  ASSERT_TRUE(profile) << to_text(profile.error());
  // The word that tcgen05.alloc left in shared memory is the kernel's, not the program's.
  Rows rows = kernel_rows(*profile);
  if (kernel.arch == "sm_100a") {
    uint64_t words = 0;
    for (auto at = rows.begin(); at != rows.end();) {
      const bool is_word = at->first.first == Edge{Level::kSmem, Level::kReg} &&
                           at->first.second.find(".cu") != std::string::npos;
      words += is_word;
      at = is_word ? rows.erase(at) : std::next(at);
    }
    EXPECT_EQ(words, 1u);
  }
  EXPECT_EQ(text_of(rows), text_of(program_rows(kernel)));
}

TEST(Attention, LedgerOfTheWgmmaKernelIsItsProgramsRowByRow) { expect_equal_ledgers(wgmma()); }
TEST(Attention, LedgerOfTheTcgen05KernelIsItsProgramsRowByRow) { expect_equal_ledgers(tcgen05()); }

// 128 bytes a pass: core matrices lie so that all banks are busy, with a swizzle of 128 bytes too.
TEST(Attention, OperandsAreReadWithoutBankConflicts) {
  const auto total = static_cast<uint32_t>(placement_of(wgmma()).shared.packing.total);
  const auto profile = profile_of(wgmma(), total);
  ASSERT_TRUE(profile) << to_text(profile.error());
  int products = 0;
  for (const Movement& row : profile::ledger_of(*profile).rows) {
    if (!row.operation.starts_with("wgmma")) continue;
    ++products;
    EXPECT_EQ(row.counters.at("conflicts").value, Amount(0));
    EXPECT_EQ(row.counters.at("wavefronts").value * Amount(128), row.total().value);
  }
  EXPECT_EQ(products, 2);
}

double counted(const profile::Profile& profile, const std::string& metric) {
  const auto found = profile::find_metric(metric + ".sum");
  EXPECT_TRUE(found) << metric;
  return profile::evaluate(*found, profile).number().value_or(-1);
}
double counted(const Kernel& kernel, const std::string& metric) {
  const auto total = static_cast<uint32_t>(placement_of(kernel).shared.packing.total);
  const auto profile = profile_of(kernel, total);
  EXPECT_TRUE(profile) << to_text(profile.error());
  return counted(*profile, metric);
}

// Two products of N x N x 64 for each head, at 2,048 and 4,096 multiply-adds a clock.
constexpr double kMultiplyAdds = 2.0 * kHeads * kSequence * kSequence * 64;
TEST(Attention, TensorCoresAreBusyForTheMultiplyAddsOfWgmma) {
  EXPECT_EQ(counted(wgmma(), "sm__pipe_tensor_async_cycles"), kMultiplyAdds / 2048);
}
TEST(Attention, TensorCoresAreBusyForTheMultiplyAddsOfTcgen05) {
  EXPECT_EQ(counted(tcgen05(), "sm__pipe_tensor_async_cycles"), kMultiplyAdds / 4096);
}

// Each score once, 4 bytes; the threads read the output once more.
TEST(Attention, ThreadsReadEveryScoreFromTensorMemory) {
  EXPECT_GE(counted(tcgen05(), "tmem__thread_read_bytes"), 4.0 * kHeads * kSequence * kSequence);
}

// With 16 bytes less the last mbarrier lies outside.
void expect_shared_memory_of_the_plan(const Kernel& kernel) {
  const auto total = static_cast<uint32_t>(placement_of(kernel).shared.packing.total);
  const auto less = profile_of(kernel, total - 16);
  ASSERT_FALSE(less);
  EXPECT_EQ(less.error().code, "out-of-bounds") << to_text(less.error());
}
TEST(Attention, WgmmaKernelUsesTheSharedMemoryOfItsPlan) {
  expect_shared_memory_of_the_plan(wgmma());
}
TEST(Attention, Tcgen05KernelUsesTheSharedMemoryOfItsPlan) {
  expect_shared_memory_of_the_plan(tcgen05());
}

TEST(Attention, Tcgen05KernelUsesTheTensorMemoryOfItsPlan) {
  const plan::Placement placement = placement_of(tcgen05());
  const auto profile = profile_of(tcgen05(), static_cast<uint32_t>(placement.shared.packing.total));
  ASSERT_TRUE(profile) << to_text(profile.error());
  std::set<std::string> used, planned;
  for (const profile::Instruction& instruction : profile->instructions) {
    if (instruction.site.space == trace::Space::kTensor)
      used.insert(instruction.arrays.begin(), instruction.arrays.end());
  }
  const std::vector<int64_t>& offsets = placement.tensor.packing.offsets;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t end = i + 1 < offsets.size() ? offsets[i + 1] : placement.tensor.packing.total;
    planned.insert(fmt::format("tmem[{}:{}]", offsets[i], end));
  }
  EXPECT_EQ(used, planned);
}

}  // namespace
}  // namespace warpledger
