// SASS counts against those that Nsight Compute printed (sass__inst_executed_per_opcode, in public
// repositories). One block is run and scaled to the grid: in these kernels all blocks do the same.
// The compiler is not theirs, so the choice between MOV, IMAD and IADD3 differs; what moves bytes,
// waits or multiplies must not.
#include "tests/system/sass_toolkit/launch.h"

namespace warpledger::sass {
namespace {

using Published = std::map<std::string, uint64_t>;

/// Every opcode of `published` as often as there; `blocks` scales one block to the grid.
void expect_published(const Case& launch, uint64_t blocks, const Published& published) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const SassCounts counts = count_launch(launch);
  const auto derived = counts.by_base();
  for (const auto& [opcode, count] : published) {
    const auto found = derived.find(opcode);
    EXPECT_EQ((found == derived.end() ? 0 : found->second) * blocks, count) << opcode;
  }
}

const std::vector<std::string> kMatrices = {"f32[1048576]:one",  "f32[1048576]:one",
                                            "f32[1048576]:zero", "i32:1024",
                                            "i32:1024",          "i32:1024"};

// All 17 opcodes, 156,827,648 in all.
TEST(Published, NaiveMatmulOnTuringThatIsUnrolledAgain) {
  expect_published({"kernels/validation/matmul.cu",
                    "matmul_line_of_threads",
                    "sm_75",
                    {1, 1, 1},
                    {1024, 1, 1},
                    {"i32:1024", "i32:1024", "i32:1024", "f32:1", "f32[1048576]:one",
                     "f32[1048576]:one", "f32:0", "f32[1048576]:zero"}},
                   1024,
                   {{"LDG", 67141632},
                    {"IMAD", 35782656},
                    {"FFMA", 33587200},
                    {"MOV", 6586368},
                    {"IADD3", 4259840},
                    {"UIADD3", 4194304},
                    {"ISETP", 2392064},
                    {"BRA", 2326528},
                    {"SHF", 98304},
                    {"S2R", 98304},
                    {"LOP3", 98304},
                    {"PLOP3", 65536},
                    {"EXIT", 65536},
                    {"ULDC", 32768},
                    {"STG", 32768},
                    {"LEA", 32768},
                    {"FMUL", 32768}});
}

// Address arithmetic is left out: another compiler, -6.3 % of the total.
TEST(Published, TiledMatmulOnAmpere) {
  expect_published(
      {"kernels/validation/matmul.cu", "matmul_tile32", "sm_86", {1, 1, 1}, {32, 32, 1}, kMatrices},
      1024,
      {{"LDS", 41943040},
       {"FFMA", 33554432},
       {"STS", 2097152},
       {"LDG", 2097152},
       {"BAR", 2097152},
       {"IMAD", 1245184},
       {"ISETP", 1081344},
       {"BRA", 1081344},
       {"S2R", 131072},
       {"ULDC", 32768},
       {"STG", 32768},
       {"EXIT", 32768}});
}

// All 17 opcodes, 54,329,344 in all.
TEST(Published, ReductionOnAmpereWithPredicates) {
  expect_published({"kernels/validation/reduction.cu",
                    "sum_two_loads",
                    "sm_86",
                    {1, 1, 1},
                    {256, 1, 1},
                    {"f32[512]:one", "f32[1]:zero"}},
                   65536,
                   {{"ISETP", 9437184},
                    {"LDS", 8454144},
                    {"STS", 4718592},
                    {"SHF", 4718592},
                    {"FADD", 4718592},
                    {"BRA", 4718592},
                    {"BAR", 4718592},
                    {"LEA", 4194304},
                    {"IMAD", 3211264},
                    {"USHF", 1048576},
                    {"ULDC", 1048576},
                    {"S2R", 1048576},
                    {"LDG", 1048576},
                    {"EXIT", 589824},
                    {"IADD3", 524288},
                    {"STG", 65536},
                    {"MOV", 65536}});
}

// All 22 opcodes, 524,353,536 in all.
TEST(Published, WmmaMatmulOnTuring) {
  expect_published(
      {"kernels/validation/tensor_cores.cu",
       "wmma_from_global",
       "sm_75",
       {1, 1, 1},
       {32, 1, 1},
       {"f16[16777216]:zero", "f16[16777216]:zero", "f32[16777216]:zero", "i32:4096", "i32:4096",
        "i32:4096"}},
      65536, {{"LDG", 134217728},  {"IADD3", 71368704}, {"MOVM", 67108864},   {"HMMA", 67108864},
              {"ULEA", 63111168},  {"IMAD", 38600704},  {"UIADD3", 37814272}, {"ULDC", 17039360},
              {"UIMAD", 16908288}, {"ISETP", 4390912},  {"BRA", 4390912},     {"USHF", 458752},
              {"SHF", 393216},     {"STG", 262144},     {"CS2R", 262144},     {"LOP3", 196608},
              {"LEA", 196608},     {"UMOV", 131072},    {"S2UR", 131072},     {"S2R", 131072},
              {"NOP", 65536},      {"EXIT", 65536}});
}

}  // namespace
}  // namespace warpledger::sass
