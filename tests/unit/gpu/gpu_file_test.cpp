#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "warpledger/gpu/builtin.h"
#include "warpledger/gpu/facts.h"

namespace warpledger {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMine =
    "schema = 1\n"
    "name = \"Mine\"\n"
    "arch = \"sm_86\"\n"
    "[device]\n"
    "source = \"me\"\n"
    "fidelity = \"measured\"\n"
    "sms = 10\n";

TEST(GpuFile, EveryBuiltinFileReads) {
  for (const BuiltinFile& file : builtin_gpu_files()) {
    if (file.path.starts_with("arch/")) continue;
    const auto gpu = parse_gpu(std::string(file.path), std::string(file.text));
    EXPECT_TRUE(gpu.ok()) << to_text(gpu.error());
  }
  EXPECT_GE(all_gpus().size(), 43U);
  EXPECT_EQ(all_architectures().size(), 13U);
}

// The Visit of facts.h: every fact says who says so, and an unknown number is absent, never 0.
struct OriginCheck {
  std::string gpu;
  template <class T>
  void operator()(const char* group, const char* key, const Sourced<T>& fact) const {
    EXPECT_FALSE(fact.source.empty()) << gpu << " " << group << "." << key;
    const std::string name = key;
    const bool truly_none = name == "reserved_bytes_per_block" || name.starts_with("tensor_");
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      EXPECT_TRUE(fact.value > 0 || truly_none) << gpu << " " << group << "." << key;
    }
  }
  template <class T>
  void operator()(const char* group, const char* key, const Fact<T>& fact) const {
    if (fact) (*this)(group, key, *fact);
  }
};

TEST(GpuFile, EveryBuiltinNumberNamesItsSource) {
  for (const Gpu& gpu : all_gpus()) {
    const OriginCheck check{gpu.id};
    each_fact(gpu, check);
  }
}

TEST(GpuFile, NoTwoGpusShareAName) {
  std::map<std::string, std::string> owner;
  for (const Gpu& gpu : all_gpus()) {
    std::vector<std::string> names = gpu.aliases;
    names.insert(names.end(), {gpu.id, gpu.name});
    for (const std::string& name : names) {
      EXPECT_EQ(find_gpu(name)->id, gpu.id) << name;
      const auto [entry, is_new] = owner.emplace(name, gpu.id);
      EXPECT_TRUE(is_new || entry->second == gpu.id) << name;
    }
  }
}

TEST(GpuFile, NamesAreFoundAsPeopleTypeThem) {
  for (const char* name : {"rtx3090", "RTX 3090", "rtx-3090", "NVIDIA GeForce RTX 3090", "3090"})
    EXPECT_EQ(find_gpu(name)->id, "rtx3090") << name;
  EXPECT_EQ(find_gpu("NVIDIA H100 PCIe")->id, "h100-pcie");
  EXPECT_EQ(find_gpu("Tesla V100-SXM2-32GB")->id, "v100");
  EXPECT_EQ(find_gpu("NVIDIA A100-SXM4-80GB")->id, "a100-80");
  EXPECT_EQ(find_gpu("NVIDIA GeForce RTX 3060 Laptop GPU")->id, "rtx3060-laptop");
}

TEST(GpuFile, AMisspeltNameGetsASuggestionAndTheList) {
  const Diagnostic error = find_gpu("rtx309").error();
  EXPECT_EQ(error.code, "unknown-gpu");
  EXPECT_THAT(error.hint, HasSubstr("'rtx3090'"));
  EXPECT_THAT(error.hint, HasSubstr("warpledger gpus"));
}

TEST(GpuFile, AUsersFileTakesTheRestFromItsArchitecture) {
  const auto gpu = parse_gpu("my/card.toml", kMine);
  ASSERT_TRUE(gpu.ok()) << to_text(gpu.error());
  EXPECT_EQ(gpu->id, "card");
  EXPECT_EQ(gpu->sms, (Count{10, Fidelity::kMeasured, "me"}));
  EXPECT_EQ(gpu->architecture.execution.max_warps_per_sm.value, 48);
  EXPECT_FALSE(gpu->l2.bytes.has_value());
}

TEST(GpuFile, AUsersFileMayOverrideItsArchitecture) {
  const auto gpu = parse_gpu("card.toml", std::string(kMine) +
                                              "[execution]\nmax_warps_per_sm = { value = 32, "
                                              "source = \"me\", fidelity = \"assumed\" }\n");
  ASSERT_TRUE(gpu.ok()) << to_text(gpu.error());
  EXPECT_EQ(gpu->architecture.execution.max_warps_per_sm.value, 32);
}

TEST(GpuFile, AnUnknownKeyIsAnErrorWithItsPlaceAndASuggestion) {
  const auto gpu = parse_gpu("card.toml", std::string(kMine) + "smss = 11\n");
  EXPECT_EQ(to_text(gpu.error()),
            "card.toml:8:1: error: unknown key 'smss' in 'device' [unknown-key]\n"
            "    smss = 11\n"
            "    ^~~~\n"
            "hint: did you mean 'sms'?\n");
}

TEST(GpuFile, AllFaultsAreReportedTogether) {
  const auto gpu = parse_gpu(
      "card.toml", std::string(kMine) + "[l2]\nbytes = \"many\"\nslices = 0.5\n[dramm]\n");
  const Diagnostic& error = gpu.error();
  ASSERT_GE(error.also.size(), 2U);
  EXPECT_EQ(error.code, "wrong-type");
  EXPECT_THAT(error.message,
              HasSubstr("'bytes' must be an integer that is not negative, not a text"));
  EXPECT_THAT(to_text(error), HasSubstr("did you mean 'dram'?"));
}

TEST(GpuFile, ANumberWithoutASourceIsRefused) {
  const auto gpu = parse_gpu("card.toml", std::string(kMine) + "[l2]\nbytes = 1024\n");
  EXPECT_EQ(gpu.error().code, "missing-source");
  EXPECT_EQ(gpu.error().at->line, 9);
}

TEST(GpuFile, MissingKeysAreNamed) {
  const auto gpu = parse_gpu("card.toml", "schema = 1\nname = \"x\"\narch = \"sm_86\"\n");
  EXPECT_EQ(gpu.error().message, "card.toml: missing key 'sms' in [device]");
  EXPECT_EQ(parse_gpu("c.toml", "schema = 1\nname = \"x\"\n").error().message,
            "c.toml: missing key 'arch'");
  EXPECT_EQ(parse_gpu("c.toml", "name = \"x\"\narch = \"sm_86\"\n").error().code, "bad-schema");
}

TEST(GpuFile, AnUnknownArchitectureIsShownInItsLine) {
  const auto gpu = parse_gpu("c.toml", "schema = 1\nname = \"x\"\narch = \"sm86\"\n");
  EXPECT_EQ(gpu.error().code, "unknown-architecture");
  EXPECT_EQ(gpu.error().hint, "did you mean 'sm_86'?");
  EXPECT_EQ(gpu.error().at->line, 3);
}

TEST(GpuFile, BrokenTomlIsADiagnosticWithItsPlace) {
  const auto gpu = parse_gpu("c.toml", "schema = 1\nname = \n");
  EXPECT_EQ(gpu.error().code, "bad-toml");
  EXPECT_EQ(gpu.error().at->line, 2);
}

TEST(GpuFile, ZerosThatRulesDivideByAreRefused) {
  const auto gpu = parse_gpu("c.toml", std::string(kMine) +
                                           "[execution]\nsource = \"me\"\nfidelity = \"assumed\"\n"
                                           "warp_size = 0\n");
  EXPECT_THAT(gpu.error().message, HasSubstr("'warp_size' in [execution] must be positive"));
}

}  // namespace
}  // namespace warpledger
