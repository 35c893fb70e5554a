// SASS counts against those that Nsight Compute printed (sass__inst_executed_per_opcode, in public
// repositories). One block is run and scaled to the grid: in these kernels all blocks do the same.
// The compiler is not theirs, so the choice between MOV, IMAD and IADD3 differs; what moves bytes,
// waits or multiplies must not.
#include "tests/sass_toolkit/launch.h"

namespace warpledger::sass {
namespace {

using Published = std::map<std::string, uint64_t>;

void expect_published(const Case& launch, uint64_t blocks, const Published& published,
                      uint64_t total, double tolerance) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const SassCounts counts = count_launch(launch);
  const auto derived = counts.by_base();
  for (const auto& [opcode, count] : published) {
    const auto found = derived.find(opcode);
    EXPECT_EQ((found == derived.end() ? 0 : found->second) * blocks, count) << opcode;
  }
  const double ratio = static_cast<double>(counts.total * blocks) / static_cast<double>(total);
  EXPECT_NEAR(ratio, 1, tolerance) << counts.total * blocks << " of " << total;
  for (const std::string& why : counts.why_modelled) std::cout << "modelled: " << why << "\n";
  for (const auto& [opcode, count] : derived) std::cout << opcode << " " << count * blocks << "\n";
}

const std::vector<std::string> kMatrices = {"f32[1048576]:one",  "f32[1048576]:one",
                                            "f32[1048576]:zero", "i32:1024",
                                            "i32:1024",          "i32:1024"};

TEST(Published, NaiveMatmulOnTuringThatIsUnrolledAgain) {
  expect_published({"kernels/validation/matmul.cu",
                    "matmul_line_of_threads",
                    "sm_75",
                    {1, 1, 1},
                    {1024, 1, 1},
                    {"i32:1024", "i32:1024", "i32:1024", "f32:1", "f32[1048576]:one",
                     "f32[1048576]:one", "f32:0", "f32[1048576]:zero"}},
                   1024, {{"LDG", 67141632}, {"FFMA", 33587200}, {"STG", 32768}}, 156827648, 0.01);
}

TEST(Published, TiledMatmulOnAmpere) {
  expect_published(
      {"kernels/validation/matmul.cu", "matmul_tile32", "sm_86", {1, 1, 1}, {32, 32, 1}, kMatrices},
      1024,
      {{"LDS", 41943040},
       {"FFMA", 33554432},
       {"STS", 2097152},
       {"LDG", 2097152},
       {"BAR", 2097152},
       {"STG", 32768}},
      97255424, 0.01);
}

TEST(Published, ReductionOnAmpereWithPredicates) {
  expect_published(
      {"kernels/validation/reduction.cu",
       "sum_two_loads",
       "sm_86",
       {1, 1, 1},
       {256, 1, 1},
       {"f32[33554432]:one", "f32[65536]:zero"}},
      65536,
      {{"LDS", 8454144}, {"STS", 4718592}, {"BAR", 4718592}, {"LDG", 1048576}, {"STG", 65536}},
      54329344, 0.05);
}

TEST(Published, WmmaMatmulOnTuring) {
  expect_published({"kernels/validation/tensor_cores.cu",
                    "wmma_from_global",
                    "sm_75",
                    {1, 1, 1},
                    {32, 1, 1},
                    {"f16[16777216]:one", "f16[16777216]:one", "f32[16777216]:zero", "i32:4096",
                     "i32:4096", "i32:4096"}},
                   65536,
                   {{"LDG", 134217728}, {"HMMA", 67108864}, {"MOVM", 67108864}, {"STG", 262144}},
                   524353536, 0.05);
}

TEST(Published, ShuffleReductionOnAmpere) {
  expect_published({"kernels/validation/reduction.cu",
                    "sum_shuffle",
                    "sm_86",
                    {512, 1, 1},
                    {256, 1, 1},
                    {"f32[33554432]:one", "f32[512]:zero"}},
                   1,
                   {{"LDG", 1048576},
                    {"SHFL", 22016},
                    {"STS", 4096},
                    {"LDS", 4096},
                    {"BAR", 4096},
                    {"STG", 512}},
                   4602880, 0.05);
}

}  // namespace
}  // namespace warpledger::sass
