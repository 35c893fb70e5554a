#include "warpledger/profile/run/query.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/law.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/run/query_json.h"

namespace warpledger::profile {
namespace {

using ::testing::HasSubstr;
using ::warpledger::testing::Rng;

constexpr const char* kCopy = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 y)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  ld.global.b32 %r1, [%rd3];
  st.global.b32 [%rd4], %r1;
  ret;
}
)";

Query copy_query() {
  Query query{.gpu = "a100"};
  query.what = {.file = {.path = "copy.ptx"},
                .ptx = kCopy,
                .kernel = "copy",
                .block = {64, 1, 1},
                .arguments = {"f32[64]:index", "f32[64]"}};
  query.options.sass = false;
  return query;
}

std::string any_word(Rng& rng) {
  std::string word;
  for (int64_t i = rng.between(0, 8); i > 0; --i) word += static_cast<char>(rng.between(' ', '~'));
  return word;
}

KernelQuery any_launch(Rng& rng) {
  const auto size = [&] { return static_cast<uint32_t>(rng.between(0, 1 << 20)); };
  KernelQuery what{.ptx = any_word(rng), .kernel = any_word(rng)};
  what.file = {.path = any_word(rng), .arch = any_word(rng), .flags = {any_word(rng)}};
  what.name_base = rng.pick(std::array{NameBase::kFunction, NameBase::kMangled});
  what.grid = {size(), size(), size()};
  what.block = {size(), 1, 1};
  what.cluster = {size(), 0, 0};
  what.dynamic_shared_bytes = size();
  for (int64_t i = rng.between(0, 3); i > 0; --i) what.arguments.push_back(any_word(rng));
  return what;
}

Query any_query(Rng& rng) {
  Query query{.what = any_launch(rng), .gpu = any_word(rng)};
  if (rng.coin()) query.before = any_launch(rng);
  QueryOptions& options = query.options;
  if (rng.coin()) options.registers = rng.between(1, 255);
  if (rng.coin()) options.carveout_kib = rng.between(0, 228);
  options.prefer_shared = rng.coin();
  options.flush_caches = rng.coin();
  options.sass = rng.coin();
  options.band = rng.coin();
  options.seed = rng.bits();
  options.engine = rng.pick(std::array{exec::EngineChoice::kAuto, exec::EngineChoice::kReference});
  options.values = rng.pick(std::array{exec::Values::kOn, exec::Values::kOff});
  options.sampling.exact = rng.coin();
  options.sampling.max_seconds = static_cast<double>(rng.between(0, 1000)) / 8;
  options.limit = rng.bits();
  options.timeout_seconds = static_cast<double>(rng.between(0, 1000)) / 8;
  options.threads = static_cast<uint32_t>(rng.between(0, 64));
  return query;
}

LAW(QueryJson, ReadsBackWhatItWrote) {
  const std::string written = to_json(any_query(rng));
  const auto read = query_from_json(Source("question", written));
  ASSERT_TRUE(read.ok()) << to_text(read.error()) << written;
  EXPECT_EQ(to_json(*read), written);
}

std::string fault_of(const std::string& text) {
  const auto read = query_from_json(Source("q.json", text));
  return read.ok() ? "" : read.error().message;
}

TEST(QueryJson, WhatIsLeftOutHasItsDefault) {
  const auto read = query_from_json(Source("q.json", R"({"kernel": "k", "gpu": "a100"})"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(to_json(*read), to_json(Query{.what = {.kernel = "k"}, .gpu = "a100"}));
}

TEST(QueryJson, RefusesAnUnknownFieldByName) {
  EXPECT_THAT(fault_of(R"({"grid_": [1, 1, 1]})"), HasSubstr("unknown field 'grid_'"));
  EXPECT_THAT(fault_of(R"({"options": {"exact_": true}})"), HasSubstr("unknown field 'exact_'"));
}

TEST(QueryJson, RefusesAValueOfAnotherKind) {
  EXPECT_THAT(fault_of(R"({"grid": "wide"})"), HasSubstr("'grid' has the wrong type"));
  EXPECT_THAT(fault_of(R"({"dynamic_shared_bytes": -1})"), HasSubstr("'dynamic_shared_bytes'"));
  EXPECT_THAT(fault_of(R"({"grid": [-1, 1, 1]})"), HasSubstr("'grid' has the wrong type"));
  EXPECT_THAT(fault_of(R"({"block": [4294967296, 1, 1]})"), HasSubstr("'block'"));
  EXPECT_THAT(fault_of(R"({"options": {"seed": 1.5}})"), HasSubstr("'seed'"));
  EXPECT_THAT(fault_of(R"({"options": {"engine": "fast"}})"), HasSubstr("auto, jit, reference"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(fault_of("{"), HasSubstr("not JSON"));
}

class AnswerFromStore : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("wl_query_store_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    auto opened = store::Store::open({.path = (folder_ / "kept.sqlite").string()});
    ASSERT_TRUE(opened.ok());
    store_.emplace(*std::move(opened));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool is_kept(const Query& query) {
    const auto answered = answer(query, &*store_);
    EXPECT_TRUE(answered.ok());
    return answered.ok() && answered->from_store;
  }
  std::filesystem::path folder_;
  std::optional<store::Store> store_;
};

TEST_F(AnswerFromStore, IsTheAnswerOfTheFirstTime) {
  const auto first = answer(copy_query(), &*store_);
  const auto again = answer(copy_query(), &*store_);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_FALSE(first->from_store);
  EXPECT_TRUE(again->from_store);
  EXPECT_EQ(to_json(again->profile), to_json(first->profile));
}

TEST_F(AnswerFromStore, DoesNotDependOnThreadsLimitsOrNames) {
  EXPECT_FALSE(is_kept(copy_query()));
  Query other = copy_query();
  other.options.threads = 2;
  other.options.timeout_seconds = 100;
  other.options.limit = 1'000'000;
  other.what.file.path = "renamed.ptx";
  EXPECT_TRUE(is_kept(other));
}

TEST_F(AnswerFromStore, IsAnotherForAnotherLaunch) {
  EXPECT_FALSE(is_kept(copy_query()));
  Query other = copy_query();
  other.what.block = {32, 1, 1};
  EXPECT_FALSE(is_kept(other));
  other = copy_query();
  other.options.seed = 7;
  EXPECT_FALSE(is_kept(other));
}

TEST(Answer, HandsOverWhatTheKernelWrote) {
  Query query = copy_query();
  query.options.values = exec::Values::kOn;
  std::vector<double> values;
  const auto read = [&](const std::vector<exec::Argument>& arguments,
                        const exec::DeviceMemory& memory) {
    const exec::Argument& y = arguments[1];
    const std::byte* bytes = memory.find(y.address, y.bytes.size());
    for (uint64_t i = 0; i < 3; ++i) values.push_back(exec::element_value(y.type, bytes, i));
  };
  ASSERT_TRUE(answer(query, nullptr, {.after = read}).ok());
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2}));
}

TEST(Answer, NamesTheGpuThatIsNotKnown) {
  Query query = copy_query();
  query.gpu = "a1000";
  const auto answered = answer(query, nullptr);
  ASSERT_FALSE(answered.ok());
  EXPECT_EQ(answered.error().code, "unknown-gpu");
}

}  // namespace
}  // namespace warpledger::profile
