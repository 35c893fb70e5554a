#include "interpose/fatbin.h"

#include <gmock/gmock.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "interpose/link.h"
#include "tests/support/law.h"
#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"

namespace warpledger::cuda {
namespace {

using testing::Rng;

const std::string kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

std::string any_text(Rng& rng) {
  std::string text;
  const int64_t length = rng.between(1, 40 * rng.size());
  for (int64_t i = 0; i < length; ++i) text += static_cast<char>(rng.between(1, 127));
  return text;
}

TEST(Fatbin, WhatIsWrittenIsRead) {
  const std::string bytes = write_fatbin(kPtx, "machine", 90, 'a');
  const auto entries = read_fatbin(bytes);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(unpack((*entries)[0]).value(), kPtx);
  EXPECT_EQ(architecture_name((*entries)[0]), "sm_90a");
  EXPECT_EQ((*entries)[1].kind, CodeKind::kMachine);
}

LAW(Fatbin, PackedCodeUnpacks) {
  const std::string text = any_text(rng);
  std::string zstd(ZSTD_compressBound(text.size()), '\0'), lz4 = zstd;
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 3));
  lz4.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
  lz4.resize(static_cast<size_t>(LZ4_compress_default(
      text.data(), lz4.data(), static_cast<int>(text.size()), static_cast<int>(lz4.size()))));
  FatbinEntry entry{.packing = Packing::kZstd, .payload = zstd, .unpacked_bytes = text.size()};
  EXPECT_EQ(unpack(entry).value(), text);
  entry.packing = Packing::kLz4;
  entry.payload = lz4;
  EXPECT_EQ(unpack(entry).value(), text);
}

std::string damaged(std::string bytes, Rng& rng) {
  const int64_t changes = rng.between(1, 8);
  for (int64_t k = 0; k < changes; ++k) {
    const auto at = static_cast<size_t>(rng.between(0, static_cast<int64_t>(bytes.size()) - 1));
    bytes[at] = static_cast<char>(rng.between(0, 255));
  }
  if (rng.between(0, 3) == 0) {
    bytes.resize(static_cast<size_t>(rng.between(0, static_cast<int64_t>(bytes.size()))));
  }
  return bytes;
}

/// As a module of a program is read; the result is an error or code, never a crash.
void read_all(const std::string& bytes) {
  const auto entries = read_fatbin(bytes);
  if (!entries) return;
  for (const FatbinEntry& entry : *entries) {
    if (entry.unpacked_bytes > (1u << 26)) continue;  // a claim that costs memory, not a fault
    const auto text = unpack(entry);
    if (!text || entry.kind != CodeKind::kPtx) continue;
    (void)link_ptx({*text, *text}).ok();
    (void)ptx::parse("damaged.ptx", *text).ok();
  }
}

// 100 rounds of 100: 10,000 damaged fatbins, among them 10,000 texts of PTX.
LAW(Fatbin, DamageIsAnErrorOrCode) {
  const std::string ptx =
      read_file(test::source_path("tests/inputs/ptx/nvcc_control.sm75.ptx")).value();
  const std::string good = write_fatbin(ptx, any_text(rng), 86, 0);
  for (int i = 0; i < 100; ++i) read_all(damaged(good, rng));
}

TEST(ChoosePtx, HighestNotAboveTheTarget) {
  const auto entry = [](int arch, char variant, CodeKind kind = CodeKind::kPtx) {
    return FatbinEntry{.kind = kind, .architecture = arch, .variant = variant};
  };
  const std::vector<FatbinEntry> entries = {
      entry(75, 0), entry(80, 0),   entry(86, 0, CodeKind::kMachine),
      entry(90, 0), entry(90, 'a'), entry(100, 'f')};
  EXPECT_EQ(choose_ptx(entries, 86)->architecture, 80);
  EXPECT_EQ(choose_ptx(entries, 90)->variant, 'a');
  EXPECT_EQ(choose_ptx(entries, 103)->variant, 'f');
  EXPECT_EQ(choose_ptx(entries, 120)->architecture, 90);
  EXPECT_EQ(choose_ptx(entries, 120)->variant, 0);
  EXPECT_EQ(choose_ptx(entries, 70), nullptr);
}

}  // namespace
}  // namespace warpledger::cuda
