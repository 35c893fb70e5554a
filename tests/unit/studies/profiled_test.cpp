// Kernels of the studies under the profiler: what must hold whatever the model says.
#include <gmock/gmock.h>

#include <filesystem>

#include "examples/studies/attention_profiled.h"
#include "examples/studies/gemm.h"
#include "examples/studies/kernels.h"

namespace warpledger::study {
namespace {

using ::testing::HasSubstr;

const RunOptions kQuick = {.sass = false};

Gpu gpu_named(const char* name) {
  const auto gpu = find_gpu(name);
  EXPECT_TRUE(gpu.ok());
  return *gpu;
}

TEST(GemmStudy, AsksForWhatTheKernelsMustAskFor) {
  constexpr int64_t kN = 64;
  const auto results = run_gemm({.gpu = gpu_named("a100"), .n = kN, .run = kQuick});
  ASSERT_TRUE(results.ok()) << results.error().message;
  ASSERT_EQ(results->size(), 6u);
  const auto by_name = [&](const std::string& name) -> const GemmResult& {
    for (const GemmResult& one : *results) {
      if (one.step.name == name) return one;
    }
    return results->front();
  };
  const int64_t written = 4 * kN * kN;
  EXPECT_EQ(by_name("naive").asked, 2 * 4 * kN * kN * kN + written);
  EXPECT_EQ(by_name("coalesced").asked, by_name("naive").asked);
  EXPECT_EQ(by_name("shared").asked, 2 * 4 * kN * kN * (kN / 32) + written);
  EXPECT_EQ(by_name("register").asked, 2 * 4 * kN * kN * (kN / 64) + written);
  EXPECT_EQ(by_name("vectorised").asked, by_name("register").asked);
  EXPECT_EQ(by_name("tensor").asked, 2 * 2 * kN * kN * (kN / 64) + written);
  for (const GemmResult& one : *results) {
    EXPECT_GE(one.dram_read, 2 * kN * kN * one.step.element_bytes) << one.step.name;
  }
}

TEST(GemmStudy, RefusesRims) {
  EXPECT_EQ(run_gemm({.gpu = gpu_named("a100"), .n = 65}).error().code, "bad-size");
}

TEST(ProfiledAttention, InSequenceNeverReadsMoreFromDramThanWithEmptyCaches) {
  AttentionOptions options{.gpus = {gpu_named("a100")}, .profiled = {128}, .run = kQuick};
  const auto rows = profile_attention(attention_forms(*tile::element_type("f16")), options);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows->size(), 2u);
  const ProfiledAttention &naive = rows->front(), &flash = rows->back();
  EXPECT_LE(naive.in_sequence.dram_read, naive.cold.dram_read);
  EXPECT_EQ(naive.scores_bytes, 2 * 128 * 128);
  EXPECT_EQ(naive.scores_from_dram, 0);  // 32 KiB in 40 MiB
  EXPECT_EQ(flash.cold.dram_read, 3 * 2 * 128 * 64);
  EXPECT_GE(flash.formula_bytes, flash.cold.dram());
  EXPECT_THAT(profiled_text(*rows, options.gpus), HasSubstr("Kept: at N = 128"));
}

TEST(ProfileCase, AnswersAgainFromTheStore) {
  const auto folder = std::filesystem::temp_directory_path() / "wl_study_store";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto store = store::Store::open({.path = (folder / "kept.sqlite").string()});
  ASSERT_TRUE(store.ok());
  RunOptions options = kQuick;
  options.store = &*store;
  const KernelText text = study_kernel("gemm_ladder");
  const KernelCase one = gemm_steps(64).front().launch;
  const auto first = profile_case(text, one, gpu_named("a100"), options);
  const auto again = profile_case(text, one, gpu_named("a100"), options);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->counters, again->counters);
  const auto other = profile_case(text, one, gpu_named("rtx3090"), options);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->gpu.id, "rtx3090");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpledger::study
