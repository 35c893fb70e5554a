#include "warpledger/sass/cubin/ptx_text.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/cubin.h"
#include "tests/support/law.h"

namespace warpledger::sass {
namespace {

using testing::cubin_of;
using ::testing::HasSubstr;
using testing::Rng;

std::string any_lines(Rng& rng) {
  std::string text = "\n";
  for (int64_t i = rng.between(0, rng.size()); i > 0; --i)
    text += std::string(static_cast<size_t>(rng.between(0, 9)), 'x') + "\n";
  return text;
}

std::string with_zeros(std::string text) {
  std::replace(text.begin(), text.end(), '\n', '\0');
  return text;
}

LAW(PtxText, IsReadLineByLineFromEachOfItsSections) {
  std::vector<std::string> texts;
  std::vector<std::pair<std::string, std::string>> sections = {{".nv.info", "xy"}};
  for (int64_t i = rng.between(0, 3); i > 0; --i) {
    texts.push_back(any_lines(rng));
    sections.emplace_back(rng.coin() ? ".nv_debug_ptx_txt" : ".nv_debug_ptx_txt.17",
                          with_zeros(texts.back()));
    sections.emplace_back(".nv_debug_ptx_txt_of_something_else", "no");
  }
  const auto read = read_ptx_texts(cubin_of(sections));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, texts);
}

LAW(PtxText, DamagedCubinsAreRefusedOrReadAndNeverReadBeyond) {
  std::string bytes = cubin_of({{".nv_debug_ptx_txt", with_zeros(any_lines(rng))}});
  for (int64_t i = rng.between(1, 6); i > 0; --i)
    bytes[static_cast<size_t>(rng.between(0, static_cast<int64_t>(bytes.size()) - 1))] =
        static_cast<char>(rng.between(0, 255));
  bytes.resize(static_cast<size_t>(rng.between(0, static_cast<int64_t>(bytes.size()))));
  const auto read = read_ptx_texts(bytes);
  EXPECT_TRUE(read.ok() || read.error().code == "bad-cubin");
}

TEST(PtxText, SourcesInOtherLanguagesAreBlankedAndLinesKept) {
  const std::string before = ".version 9.4\n.entry k() {\nret;\n}\n",
                    after = ".entry next() {\n}\n";
  const std::string sources =
      ".nv_intermediate_source_section {\n.code_block {\n.sourceFileName: 2\n.source_begin\nentry "
      "@k() }} {\n.source_end\n}\n}\n";
  const auto read =
      read_ptx_texts(cubin_of({{".nv_debug_ptx_txt", with_zeros(before + sources + after)}}));
  ASSERT_TRUE(read.ok() && read->size() == 1);
  std::string blank = sources;
  std::ranges::replace_if(
      blank, [](char c) { return c != '\n'; }, ' ');
  EXPECT_EQ(read->front(), before + blank + after);
}

TEST(PtxText, ACubinWithoutItIsRefusedWithHowToBuildIt) {
  const auto read = read_ptx_text("k.cubin", cubin_of({{".text.k", "code"}}));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "'k.cubin' is machine code without its PTX");
  EXPECT_THAT(read.error().hint, HasSubstr("-lineinfo"));
}

TEST(PtxText, ALinkedCubinIsRefusedAsAFile) {
  const auto read = read_ptx_text(
      "k.cubin", cubin_of({{".nv_debug_ptx_txt.1", "a"}, {".nv_debug_ptx_txt.2", "b"}}));
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("linked from 2 PTX modules"));
}

}  // namespace
}  // namespace warpledger::sass
